package models

import (
	"strings"
	"unicode"
)

// formulaSigns begin a formula, in their wide forms too.
const formulaSigns = "=+-@\uFF1D\uFF0B\uFF0D\uFF20"

// visible are the categories whose characters are shown by themselves: letters, numbers, punctuation and symbols. Spaces,
// control and format characters, marks without a letter, private use, noncharacters and what Unicode has not assigned
// are in none of them.
var visible = []*unicode.RangeTable{unicode.L, unicode.N, unicode.P, unicode.S}

// blank are the characters of those categories that are shown as nothing all the same.
var blank = []*unicode.RangeTable{
	unicode.Other_Default_Ignorable_Code_Point,
	{
		R16: []unicode.Range16{
			{Lo: '\u2800', Hi: '\u2800', Stride: 1}, // braille without a dot
			{Lo: '\uFFFC', Hi: '\uFFFD', Stride: 1}, // stand for an object and for what is no character
		},
		R32: []unicode.Range32{
			{Lo: 0x13441, Hi: 0x13442, Stride: 1}, // Egyptian blanks
			{Lo: 0x1D159, Hi: 0x1D159, Stride: 1}, // a note without a head
		},
	},
}

// IsFormula reports whether a spreadsheet could run the text of a cell as a formula. Some drop what is invisible before
// the sign, and take a tab or the end of a line for that of the cell.
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
