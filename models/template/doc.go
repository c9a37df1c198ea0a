// Package template holds the parameters and macros that common traffic sources and affiliate networks use in their links and
// postbacks.
//
// To add a built-in template, add a row to the file of its kind, and read every value of the row on the page that its Origin names.
package template
