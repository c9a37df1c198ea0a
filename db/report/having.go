package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/measure"
)

// MaxHaving is the maximum number of conditions on figures.
const MaxHaving = 12

// figureBound matches the number of a condition.
var figureBound = regexp.MustCompile(`^-?\d{1,12}(\.\d{1,6})?$`)

// ParseHaving parses conditions on figures, such as profit<0,cost>=10.
func ParseHaving(text string) (out []models.FigureFilter, err error) {
	if text == "" {
		return nil, nil
	}
	for condition := range strings.SplitSeq(text, ",") {
		f, ok := parseCondition(condition)
		if !ok {
			return nil, models.Invalid("invalid_input", "having: %.80q is not a condition such as profit<0: a condition is a figure, then one of %s, then a number with at most "+
				"12 digits and 6 decimals", condition, strings.Join(models.FigureOps, " "))
		}
		out = append(out, f)
	}
	if len(out) > MaxHaving {
		return nil, models.Invalid("invalid_input", "having: at most %d conditions", MaxHaving)
	}
	return out, nil
}

func parseCondition(text string) (f models.FigureFilter, ok bool) {
	at := strings.IndexAny(text, "<>")
	if at < 0 {
		return f, false
	}
	f.Figure = strings.TrimSpace(text[:at])
	i := slices.IndexFunc(models.FigureOps, func(op string) bool { return strings.HasPrefix(text[at:], op) })
	f.Op = models.FigureOps[i] // not -1, because < and > alone are operators too
	number := strings.TrimSpace(text[at+len(f.Op):])
	if measure.Find(f.Figure) == nil || !figureBound.MatchString(number) {
		return f, false
	}
	value, err := decimal.NewFromString(number)
	f.Value = value
	return f, err == nil
}

// kept returns the SQL condition on the sums of a group. Only groups that meet it have a row in the answer. notZero is the condition
// that at least one figure is not zero.
func (b *builder) kept(notZero string) string {
	var s strings.Builder
	s.WriteString(notZero + b.enoughClicks())
	for _, h := range b.Having {
		m := measure.Find(h.Figure)
		over, under := m.Sums()
		if m.IsCounter() {
			over.SQL = m.Name
		}
		value := h.Value
		if m.IsPercent() {
			value = value.Shift(-2)
		}
		fmt.Fprintf(&s, " AND %s %s %s", b.dialect.quotient(over, under), h.Op, b.dialect.bound(value, over, under))
	}
	return s.String()
}

// enoughClicks returns SQL that begins with AND and keeps the groups with at least MinClicks clicks. In a comparison, a group
// needs them in only one of the two periods. Without MinClicks, the SQL is empty.
func (q *query) enoughClicks() string {
	switch {
	case q.MinClicks <= 0:
		return ""
	case q.Compare != nil:
		return fmt.Sprintf(" AND greatest(clicks, %sclicks) >= %d", ofBefore, q.MinClicks)
	}
	return fmt.Sprintf(" AND clicks >= %d", q.MinClicks)
}
