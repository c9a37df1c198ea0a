// Package measure contains the table of all measures: the counters that reports add up, and the figures that are calculated from
// them. README.md shows how to add a measure.
package measure

import (
	"cmp"
	"strings"
)

// Measure is one measure. A counter has SQL but no Formula. Any other measure has a Formula but no SQL.
type Measure struct {
	Name  string
	Field string
	Kind  Kind
	// Formula calculates the measure from other measures. It is a sum such as "revenue - cost", or a quotient of two sums such as
	// "approved / (conversions + rejected)". A percentage is the quotient times 100.
	Formula string
	SQL     SQL
	// Good is 1 if a rise is good, -1 if it is bad, and 0 if it is neither.
	Good int
	// Digits is the number of decimals with which a percentage is shown. Zero means two.
	Digits int
	// BySales means that the random variation of the measure depends on the number of conversions that bring the money.
	BySales bool
	// Change is the position of the measure in models.FigureChanges, counted from 1. Zero means that FigureChanges does not contain
	// the measure.
	Change int
	Doc    string
}

// Kind is the kind of a measure's value.
type Kind string

// The kinds of measures. A Price is an amount for a single click, which may be less than a cent.
const (
	Count   Kind = "count"
	Money   Kind = "money"
	Price   Kind = "small"
	Percent Kind = "percent"
)

var (
	// Counters lists the stored measures, in the order of their columns.
	Counters = rows((*Measure).IsCounter)
	// Amounts lists the stored measures that are amounts of money.
	Amounts = rows(func(m *Measure) bool { return m.IsCounter() && m.IsAmount() })
)

func rows(keep func(*Measure) bool) (list []*Measure) {
	for i := range All {
		if keep(&All[i]) {
			list = append(list, &All[i])
		}
	}
	return list
}

// Find returns the measure with this name, or nil if there is no such measure.
func Find(name string) *Measure {
	for i := range All {
		if All[i].Name == name {
			return &All[i]
		}
	}
	return nil
}

// Names returns the names of the measures that the function keep accepts, in the order of the table.
func Names(keep func(*Measure) bool) (names []string) {
	for _, m := range rows(keep) {
		names = append(names, m.Name)
	}
	return names
}

// Each returns one text for each measure of a list: the format with %s replaced by the name of the measure.
func Each(list []*Measure, format string) (out []string) {
	for _, m := range list {
		out = append(out, strings.ReplaceAll(format, "%s", m.Name))
	}
	return out
}

// Every accepts all measures.
func Every(*Measure) bool { return true }

// IsCounter reports whether the measure is stored instead of calculated from other measures.
func (m *Measure) IsCounter() bool { return m.Formula == "" }

// IsAmount reports whether the value is an amount in the account's currency.
func (m *Measure) IsAmount() bool { return m.Kind == Money || m.Kind == Price }

// IsPercent reports whether the value is a percentage.
func (m *Measure) IsPercent() bool { return m.Kind == Percent }

// DisplayDigits returns the number of decimals that a file for people shows.
func (m *Measure) DisplayDigits() int {
	switch m.Kind {
	case Count:
		return 0
	case Price:
		return 3
	case Percent:
		return cmp.Or(m.Digits, 2)
	}
	return 2
}

// IsRatio reports whether the measure is a quotient.
func (m *Measure) IsRatio() bool { return strings.Contains(m.Formula, " / ") }

// Term is one measure in a sum of a formula.
type Term struct {
	*Measure
	Minus bool
}

// Terms returns the terms of the formula. The result over is the sum above the fraction bar, and the result under is the sum
// below it.
func (m *Measure) Terms() (over, under []Term) {
	above, below, _ := strings.Cut(m.Formula, " / ")
	return terms(above), terms(below)
}

func terms(sum string) (list []Term) {
	minus := false
	for word := range strings.FieldsSeq(strings.Trim(sum, "()")) {
		switch word {
		case "+", "-":
			minus = word == "-"
		default:
			list = append(list, Term{Find(word), minus})
		}
	}
	return list
}

// Sum is one side of a formula, as an SQL expression over the columns of the counters.
type Sum struct {
	SQL    string
	Amount bool
}

// Sums returns the two sides of the formula as SQL.
func (m *Measure) Sums() (over, under Sum) {
	a, b := m.Terms()
	return sumOf(a), sumOf(b)
}

func sumOf(list []Term) (s Sum) {
	for i, t := range list {
		switch {
		case t.Minus:
			s.SQL += " - "
		case i > 0:
			s.SQL += " + "
		}
		if t.IsCounter() {
			s.SQL += t.Name
		} else {
			over, _ := t.Sums()
			s.SQL += over.SQL
		}
		s.Amount = s.Amount || t.IsAmount()
	}
	return s
}

// Expand replaces two placeholders in a field's tag: {measures} by the names of all measures, and {percentages} by the names of
// the percentages.
func Expand(tag string) string {
	if !strings.Contains(tag, "{") {
		return tag
	}
	shares := Names((*Measure).IsPercent)
	last := len(shares) - 1
	return strings.NewReplacer(
		"{measures}", strings.Join(Names(Every), ","),
		"{percentages}", strings.Join(shares[:last], ", ")+" and "+shares[last],
	).Replace(tag)
}
