// Package autorule defines the rules by which an account lets its campaigns be changed automatically. A rule says which objects
// it judges, when it matches, and which action follows. The package does no input or output: workers/copilot reads the figures
// and makes the changes.
//
// A rule judges the figures of campaigns, paths, destinations, offers or values over a window that ends now or with the last full
// hour or day. It acts on each of these targets for which all its comparisons hold. An action is either an alert or an Action of
// package copilot, which is applied and undone like a suggestion. Afterwards the rule does not act on the target again during the
// cool-down, which starts again if a person undoes the change.
//
// Among the targets without any data in the window, a rule judges only campaigns. Their figures are then zero.
package autorule
