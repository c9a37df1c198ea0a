// Package template holds the parameters and macros that common traffic sources and affiliate networks use in their links and
// postbacks. An account therefore need not look them up.
package template
