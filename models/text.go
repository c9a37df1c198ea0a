package models

import (
	"strings"
	"unicode/utf8"
)

// Storable returns a text without NUL characters and invalid UTF-8, which PostgreSQL refuses.
func Storable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}

// OneLine returns a text as one storable line of at most limit characters.
func OneLine(text string, limit int) string {
	return Cut(strings.Join(strings.Fields(Storable(text)), " "), limit)
}

// Cut returns the first characters of a text, at most limit.
func Cut(text string, limit int) string {
	runes := []rune(text)
	return string(runes[:min(len(runes), limit)])
}

// Shortened returns a text of at most limit characters.
func Shortened(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return Cut(text, limit-1) + "…"
}
