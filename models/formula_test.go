package models_test

import (
	"testing"

	"switchyard/models"
)

func TestIsFormula(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "1": false, "a=1": false, "né": false, "198.51.100.7": false, " x": false, `"`: false, "'=1": false,
		"\u200b": false, "\u200bx=1": false, "e\u0301=1": false, "日本=1": false, "€=1": false, "😀=1": false, "(=1": false,
		"\uE000x=1": false, "\uFFFC": false,
		"=1+1": true, "+1": true, "-1": true, "@SUM(A1)": true, "\t=1": true, "\r1": true, "\n1": true, "  =1": true,
		" \tx": true, "\uFF1D1+1": true,
	} {
		if got := models.IsFormula(text); got != want {
			t.Errorf("IsFormula(%q) returns %t, want %t", text, got, want)
		}
	}
	for _, hidden := range []string{
		"\u00A0", "\uFEFF", "\u200B", "\u200C", "\u200D", "\u2060", "\u00AD", "\u200E", "\u200F", "\u202E", "\u2066", "\u061C",
		"\u180E", "\u2028", "\u2029", "\u3000", "\u2007", "\u202F", "\u0085", "\v", "\f", "\x00", "\x01", "\x1f", "\x7f", "\u009f",
		"\u034F", "\u115F", "\u3164", "\uFFA0", "\uFE0F", "\U000E0020", "\U000E0101", "\u2800", "\u0301", "\uFFF9", "\U0001D173",
		"\xff", "\u206A", "\u2064", "\uFFFC", "\uFFFD", "\uFFFE", "\uFFFF", "\u0378", "\uE000", "\uF8FF", "\uFDD0",
		"\U000F0000", "\U0010FFFD", "\U0010FFFF", "\U000EFFFF", "\u20E3", "\U00013441", "\U0001D159", "\U0001BCA0",
		"\xed\xa0\x80",
	} {
		for _, sign := range []string{"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"} {
			for _, text := range []string{hidden + sign + "1", hidden + hidden + sign + "1", " " + hidden + sign + "1"} {
				if !models.IsFormula(text) {
					t.Errorf("%q is not recognized as a formula", text)
				}
			}
		}
	}
}
