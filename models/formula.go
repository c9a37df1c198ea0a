package models

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// formulaSigns begin a formula, in their wide forms too.
const formulaSigns = "=+-@\uFF1D\uFF0B\uFF0D\uFF20"

// invisible are the characters that a spreadsheet shows nothing for: spaces, control and format characters, marks
// without a letter, and others that fonts ignore.
var invisible = []*unicode.RangeTable{
	unicode.Z, unicode.Cc, unicode.Cf, unicode.M, unicode.Other_Default_Ignorable_Code_Point,
	{R16: []unicode.Range16{{Lo: '\u2800', Hi: '\u2800', Stride: 1}}}, // braille without a dot
}

// IsFormula reports whether a spreadsheet could run the text of a cell as a formula. Some drop what is invisible before
// the sign, and take a tab or the end of a line for that of the cell.
func IsFormula(text string) bool {
	for _, r := range text {
		switch {
		case r == '\t' || r == '\r' || r == '\n':
			return true
		case r == utf8.RuneError || unicode.In(r, invisible...):
		default:
			return strings.ContainsRune(formulaSigns, r)
		}
	}
	return false
}
