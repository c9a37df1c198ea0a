// Package autorule defines the rules by which an account lets its campaigns be changed automatically. A rule defines which
// objects it judges, under which conditions it matches, and which action follows. The package does no input or output:
// workers/copilot reads the figures and makes the changes.
//
// A rule judges the figures of campaigns, paths, destinations, offers or values over a window that ends now or with the last
// full hour or day. It acts on each target for which all comparisons of the rule hold. An action is either an alert or an Action
// of package copilot, which is applied and undone like a suggestion. After an action, the rule does not act on the target again
// during the cool-down. If a person undoes the change, the cool-down starts again.
//
// A target without any data in the window has no figures, so no comparison holds for it. A campaign is the exception: its
// figures are zero.
package autorule
