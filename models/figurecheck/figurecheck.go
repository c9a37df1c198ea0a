// Package figurecheck finds the figures in a text that the rows it was written from do not have. It is pure.
//
// A figure is confirmed by a number of the rows that it is rounded from: 1,235 by 1234.6, 12.5 % by 12.48 or by 0.12483,
// 1.2k by 1234. Signs do not count, because a loss of 50 is a profit of -50. After a word such as about a figure may be
// rounded further, to its last digit that is not zero. In a sentence that speaks of a total, it may be the sum of a column
// over all rows of a look-up, if none were left out. The number of those rows confirms it too.
//
// Numbers that are not figures are not looked at: dates and times, numbers in names of records that the rows have, numbers in
// words and ids, spans such as 7 days, the numbers of a list, and other texts of the rows where they are quoted. A figure that
// is right by calculation, such as a difference, is not confirmed, because it was not checked against a row.
//
// A figure is looked for among all numbers of all rows. That it stands where it is said to stand is not checked.
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

// Lookup is what was read: rows of JSON, and whether they are all there are.
type Lookup struct {
	Rows  []json.RawMessage
	Whole bool
	// Beside is the rest of the answer, apart from its rows; nil: nothing.
	Beside json.RawMessage
}

// Unconfirmed lists the figures of a text that no look-up has, as they are written, each once and in their order.
func Unconfirmed(text string, lookups []Lookup) []string {
	known := facts{}
	for _, l := range lookups {
		known.add(l)
	}
	var out []string
	for _, sentence := range sentences(known.withoutNames(text)) {
		total := totals.MatchString(sentence)
		for _, f := range figures(sentence) {
			if !known.have(f, total) && !slices.Contains(out, f.written) {
				out = append(out, f.written)
			}
		}
	}
	return out
}

// facts are what the look-ups have.
type facts struct {
	numbers []decimal.Decimal // without signs
	sums    []decimal.Decimal
	names   []string // of the account's own records
	texts   []string // all others: written by unknown authors
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

// read collects the numbers and the names of a value.
func (k *facts) read(raw json.RawMessage, number func(path string, n decimal.Decimal)) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) == nil {
		k.walk("", v, false, number)
	}
}

// walk collects what is in a value. Own says that its texts are names of the account's records.
func (k *facts) walk(path string, v any, own bool, number func(string, decimal.Decimal)) {
	switch v := v.(type) {
	case json.Number:
		if n, err := decimal.NewFromString(v.String()); err == nil && n.Exponent() < maxExponent && n.Exponent() > -maxExponent {
			k.numbers = append(k.numbers, n.Abs())
			number(path, n)
		}
	case string:
		switch {
		case !strings.ContainsAny(v, "0123456789"):
		case own:
			k.names = append(k.names, v)
		default:
			k.texts = append(k.texts, v)
		}
	case []any:
		for _, item := range v {
			k.walk(path+"[]", item, own, number)
		}
	case map[string]any:
		for name, item := range v {
			if strings.ContainsAny(name, "0123456789") {
				k.texts = append(k.texts, name)
			}
			k.walk(path+"."+name, item, own || ownNames.MatchString(name), number)
		}
	}
}

// maxExponent keeps numbers such as 1e999999999 away from arithmetic.
const maxExponent = 30

// ownNames are the members that have names of the account's own records.
var ownNames = regexp.MustCompile(`^(name|labels|(campaign|stream|path|lander|offer|source|network)_name)$`)

// withoutNames returns a text without the names and texts that the rows have, the longest first. A text by an unknown author,
// and a name that is a number itself, is removed only where it is quoted, because it could be any figure.
func (k *facts) withoutNames(text string) string {
	for _, t := range longest(k.texts, k.names) {
		for _, quotes := range []string{`""`, "''", "``", "“”", "‘’", "«»"} {
			open, size := utf8.DecodeRuneInString(quotes)
			text = strings.ReplaceAll(text, string(open)+t+quotes[size:], " ")
		}
	}
	for _, name := range longest(k.names) {
		if !plain.MatchString(name) {
			text = replaceWhole(text, name)
		}
	}
	return text
}

// longest are the texts of lists, each once, the longest first.
func longest(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}

// replaceWhole takes a name out of a text, where it is not a part of a longer word or number.
func replaceWhole(text, name string) string {
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
	plain  = regexp.MustCompile(`^[^\pL]*$`) // a number, with signs of currencies and what else is no letter
	totals = regexp.MustCompile(`(?i)\b(totals?|totalled|sum|sums|altogether|combined|together|overall|in all)\b`)
	ends   = regexp.MustCompile(`[.!?:;]\s+|\n+`)
)

// sentences splits a text. A point between digits ends none.
func sentences(text string) []string { return ends.Split(text, -1) }
