// Package figurecheck finds figures in a text that are not in the rows from which the text was written. The rows are the results
// of look-ups, such as reports. The package does no input or output.
//
// A figure is confirmed by a number in the rows that rounds to it: 1,235 by 1234.6, 12.5 % by 12.48 or by 0.12483, and 1.2k by
// 1234. Signs are ignored, because a loss of 50 is a profit of -50. After a word such as "about", a figure may be rounded to its
// last digit that is not zero. In a sentence about a total, a figure may be the sum of a column over all rows of a look-up, if no
// rows were left out. Such a look-up also confirms the number of its rows.
//
// Numbers that are not figures are ignored: dates and times, numbers in names of records in the rows, numbers in words and ids,
// spans such as 7 days, ranks such as top 5, the item numbers of a list, and quoted texts from the rows. Any figure
// that was calculated from the rows in another way, such as a difference, is not confirmed.
//
// It is not checked whether a figure belongs to the record that the text names.
package figurecheck

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"
)

// Lookup holds the result of a look-up: its rows as JSON. Whole says that no rows were left out.
type Lookup struct {
	Rows  []json.RawMessage
	Whole bool
	// Beside is the rest of the answer as JSON, such as totals and labels. Its numbers confirm figures too. It may be nil.
	Beside json.RawMessage
}

// Unconfirmed returns the figures that no look-up confirms, as they are written in the text. Each occurs only once.
func Unconfirmed(text string, lookups []Lookup) []string {
	known := facts{}
	for _, l := range lookups {
		known.add(l)
	}
	var out []string
	for _, sentence := range sentences(known.withoutNames(text)) {
		total := totals.MatchString(sentence)
		for _, f := range figures(sentence) {
			if !known.contains(f, total) && !slices.Contains(out, f.written) {
				out = append(out, f.written)
			}
		}
	}
	return out
}

type facts struct {
	numbers []decimal.Decimal // without signs
	sums    []decimal.Decimal
	names   []string // names of the account's own records
	texts   []string // all other texts, whose authors are not known
}

func (k *facts) add(l Lookup) {
	columns := map[string]decimal.Decimal{}
	for _, row := range l.Rows {
		k.read(row, func(path string, n decimal.Decimal) { columns[path] = columns[path].Add(n) })
	}
	if len(l.Beside) > 0 {
		k.read(l.Beside, func(string, decimal.Decimal) {})
	}
	if !l.Whole {
		return
	}
	k.numbers = append(k.numbers, decimal.NewFromInt(int64(len(l.Rows))))
	for _, sum := range columns {
		k.sums = append(k.sums, sum.Abs())
	}
}

// read collects the numbers of a JSON value, and its texts with digits. It ignores what is not JSON.
func (k *facts) read(raw json.RawMessage, number func(path string, n decimal.Decimal)) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) == nil {
		k.walk("", v, false, number)
	}
}

// walk collects the numbers of a value, and its texts with digits. isName says that these texts are names of the account's records.
func (k *facts) walk(path string, v any, isName bool, number func(string, decimal.Decimal)) {
	switch v := v.(type) {
	case json.Number:
		if n, err := decimal.NewFromString(v.String()); err == nil && n.Exponent() < maxExponent && n.Exponent() > -maxExponent {
			k.numbers = append(k.numbers, n.Abs())
			number(path, n)
		}
	case string:
		switch {
		case !strings.ContainsAny(v, "0123456789"):
		case isName:
			k.names = append(k.names, v)
		default:
			k.texts = append(k.texts, v)
		}
	case []any:
		for _, item := range v {
			k.walk(path+"[]", item, isName, number)
		}
	case map[string]any:
		for name, item := range v {
			if strings.ContainsAny(name, "0123456789") {
				k.texts = append(k.texts, name)
			}
			k.walk(path+"."+name, item, isName || ownNames.MatchString(name), number)
		}
	}
}

// maxExponent keeps numbers such as 1e999999999 out of the arithmetic.
const maxExponent = 30

// ownNames matches the JSON members with names of the account's own records.
var ownNames = regexp.MustCompile(`^(name|labels|(campaign|stream|path|lander|offer|source|network)_name)$`)

// withoutNames returns a text without the names and texts from the rows. Longer ones are removed first. A text by an unknown author is
// removed only where it is quoted, because it could contain any figure. A name that is itself a number is also removed only where
// it is quoted.
func (k *facts) withoutNames(text string) string {
	for _, t := range longest(k.texts, k.names) {
		for _, quotes := range []string{`""`, "''", "``", "“”", "‘’", "«»"} {
			open, size := utf8.DecodeRuneInString(quotes)
			text = strings.ReplaceAll(text, string(open)+t+quotes[size:], " ")
		}
	}
	for _, name := range longest(k.names) {
		if !plain.MatchString(name) {
			text = removeWord(text, name)
		}
	}
	return text
}

// longest returns the texts of all lists, the longest first. Each occurs only once.
func longest(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// removeWord removes a name from a text, except inside a longer word or number.
func removeWord(text, name string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return out.String() + text
		}
		end := i + len(name)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[end:])
		out.WriteString(text[:i])
		if isWord(before) || isWord(after) {
			out.WriteString(name)
		} else {
			out.WriteString(" ")
		}
		text = text[end:]
	}
}

var (
	plain  = regexp.MustCompile(`^[^\pL]*$`) // a number, possibly with currency signs and other characters that are not letters
	totals = regexp.MustCompile(`(?i)\b(totals?|totalled|sum|sums|altogether|combined|together|overall|in all)\b`)
	ends   = regexp.MustCompile(`[.!?:;]\s+|\n+`)
)

// sentences splits a text at line breaks, and at points, colons and similar marks that a space follows. The point in 1.5 does not
// end a sentence.
func sentences(text string) []string { return ends.Split(text, -1) }
