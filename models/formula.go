package models

import (
	"strings"
	"unicode"
)

const formulaSigns = "=+-@\uFF1D\uFF0B\uFF0D\uFF20"

// visible lists the categories of characters that are visible on their own: letters, numbers, punctuation and symbols.
var visible = []*unicode.RangeTable{unicode.L, unicode.N, unicode.P, unicode.S}

// blank lists characters that belong to a visible category, but that some programs display as empty space or not at all.
var blank = []*unicode.RangeTable{
	unicode.Other_Default_Ignorable_Code_Point,
	{
		R16: []unicode.Range16{
			{Lo: '\u2800', Hi: '\u2800', Stride: 1}, // braille without a dot
			{Lo: '\uFFFC', Hi: '\uFFFD', Stride: 1}, // placeholders for an object and for an invalid character
		},
		R32: []unicode.Range32{
			{Lo: 0x13441, Hi: 0x13442, Stride: 1}, // Egyptian blanks
			{Lo: 0x1D159, Hi: 0x1D159, Stride: 1}, // the invisible head of a musical note
		},
	},
}

// IsFormula reports whether a spreadsheet could execute the text of a cell as a formula. Some spreadsheets ignore invisible
// characters before the sign. Some treat a tab or a line end as the end of the cell. So a text with a tab or a line end before
// its first visible character also counts as a formula.
func IsFormula(text string) bool {
	for _, r := range text {
		switch {
		case r == '\t' || r == '\r' || r == '\n':
			return true
		case unicode.In(r, visible...) && !unicode.In(r, blank...):
			return strings.ContainsRune(formulaSigns, r)
		}
	}
	return false
}
