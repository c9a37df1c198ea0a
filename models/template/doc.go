// Package template holds the parameters and macros that common traffic sources and affiliate networks use in their links and
// postbacks. An account therefore need not look them up. Each built-in template names the page from which it was read.
//
// The files source_*.go and network_*.go hold the built-in templates, by kind. To add one, add a row to the file of its kind, and
// read every value of the row on the page that its Origin names.
package template
