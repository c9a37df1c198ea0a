// Package correction reads the CSV files with which customers correct figures: conversions, and spend by day. It accepts
// headings and values in the forms that spreadsheets, networks and ad platforms write. A row that cannot be read is refused
// with the reason. A file is refused as a whole only if it is no text, or has no usable header or no rows. The package does no
// input or output.
//
// The files are not trusted. Work and memory are linear in the length of a file.
package correction

// MaxRows is the maximum number of rows that are read from a file.
const MaxRows = 5000
