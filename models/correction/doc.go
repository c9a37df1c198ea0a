// Package correction reads the CSV files by which customers correct figures: conversions, and spend by day and
// source. It accepts headers and values as spreadsheets, networks and ad platforms write them. A row that cannot be
// read is refused with the reason, without effect on the other rows. A file is refused only if nothing in it can be
// read. The package is pure: whose a click is and which source a name means is decided elsewhere.
//
// Texts come from outside. Work and memory are linear in the length of the text, and a row stores its known cells
// only.
package correction

// MaxRows is the maximum number of rows of a file that are read.
const MaxRows = 5000
