// Package correction reads the CSV files with which customers correct figures: conversions, and spend by day and source. It
// accepts headers and values as spreadsheets, networks and ad platforms write them. A row that cannot be read is refused with
// the reason, and the other rows are not affected. A file is refused only if nothing in it can be read. The package does no
// input or output: the caller finds out which account owns a click and which source a name means.
//
// The texts are not trusted. Work and memory are linear in the length of the text, and a row stores only its known cells.
package correction

// MaxRows is the maximum number of rows that are read from a file.
const MaxRows = 5000
