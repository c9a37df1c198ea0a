// Package autorule has the rules by which an account lets its campaigns be changed by themselves: what a rule looks at, when
// it matches, and what it does then. It is pure: workers/copilot reads the figures and carries out the changes.
//
// A rule looks at the figures of campaigns, paths, destinations, offers or values over a window that ends now. Where all of
// its comparisons hold, it acts: what it does is an Action of package copilot, applied and taken back as a suggestion is.
// A target that was acted upon is left alone for the cool-down, and after somebody took the change back for that long again.
//
// What had nothing in the window has no figures, so nothing about it holds; a campaign is the exception, its figures are zero.
package autorule
