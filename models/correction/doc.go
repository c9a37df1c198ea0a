// Package correction reads the CSV files by which customers correct figures: conversions, and spend by day and source.
// Headers and values are taken as spreadsheets, networks and ad platforms write them. A row that cannot be understood is
// refused with the reason, and the rows around it are not touched by that; a file is refused only where nothing in it can
// be read. It is pure: who owns a click or what a source is called is decided elsewhere.
//
// Texts come from outside. Work and memory are linear in the length of the text, and no row keeps more than its known
// cells.
package correction

// MaxRows is how many rows of a file are read.
const MaxRows = 5000
