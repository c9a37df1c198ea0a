package autorule

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models"
)

// Payout is the mean payout of a conversion of the target's campaign or offer over the last 30 days. With too few conversions it
// is the highest fixed payout of the target's offers in the account's currency.
const Payout = "payout"

// Comparison compares a figure with a number, or with a multiple of another figure, as in cost > 3 times payout. It never holds
// if a figure has no value: after a division by zero, or if the payout is not known.
type Comparison struct {
	Figure   string       `json:"figure" bad:"invalid_condition" required:"invalid_condition" trim:"true" enum:"{measures}" doc:"a figure as in reports; {percentages} are percentages"`
	Operator string       `json:"operator" bad:"invalid_condition" required:"invalid_condition" trim:"true" enum:">,>=,<,<=,=,!="`
	Value    models.Money `json:"value" bad:"invalid_condition" min:"-1000000000" max:"1000000000"`
	Times    string       `json:"times" bad:"invalid_condition" trim:"true" enum:",payout,{measures}" doc:"the figure by which value is multiplied; empty: value is not multiplied"`
}

// operators reports for each operator whether a comparison holds. order is the sign of the left side minus the right side.
var operators = map[string]func(order int) bool{
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	"=":  func(order int) bool { return order == 0 },
	"!=": func(order int) bool { return order != 0 },
}

func (t *Target) figure(name string) (value decimal.Decimal, ok bool) {
	if name == Payout {
		if t.Payout == nil {
			return value, false
		}
		return *t.Payout, true
	}
	return t.Figures.Value(name)
}

func (c Comparison) holds(t *Target) bool {
	left, ok := t.figure(c.Figure)
	if !ok {
		return false
	}
	right := c.Value.Decimal
	if c.Times != "" {
		other, ok := t.figure(c.Times)
		if !ok {
			return false
		}
		right = right.Mul(other)
	}
	test, known := operators[c.Operator]
	return known && test(left.Cmp(right))
}

// Matches reports whether all comparisons of the rule hold for a target. Without comparisons it matches nothing.
func (s Settings) Matches(t *Target) bool {
	return len(s.Conditions) > 0 && !slices.ContainsFunc(s.Conditions, func(c Comparison) bool { return !c.holds(t) })
}

// NeedsPayout reports whether the rule compares with payouts.
func (s Settings) NeedsPayout() bool {
	return slices.ContainsFunc(s.Conditions, func(c Comparison) bool { return c.Times == Payout })
}

// Text returns the comparison in a readable form.
func (c Comparison) Text() string {
	text := c.Figure + " " + c.Operator + " " + c.Value.Text()
	if c.Times != "" {
		text += " x " + c.Times
	}
	return text
}

// Text returns the comparisons of the rule in a readable form.
func (s Settings) Text() string {
	list := make([]string, len(s.Conditions))
	for i, c := range s.Conditions {
		list[i] = c.Text()
	}
	return strings.Join(list, " and ")
}

// evidenceFigures returns the names of the figures that are shown as evidence. Figures that every rule shows come first.
func (s Settings) evidenceFigures() []string {
	names := []string{"clicks", "conversions", "cost", "revenue"}
	for _, c := range s.Conditions {
		for _, name := range []string{c.Figure, c.Times} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func money(n int64) models.Money { return models.NewMoney(decimal.NewFromInt(n)) }
