package cond

import (
	"math"
	"slices"
	"strings"

	"go4.org/netipx"
)

type verdict uint8

const (
	unknown verdict = iota
	no
	yes
)

func verdictOf(b bool) verdict {
	if b {
		return yes
	}
	return no
}

type tester interface {
	test(f *Facts, c *compiled) verdict
	cost() Cost
}

// Match reports whether the facts satisfy the conditions. It allocates nothing if the Facts were used before. It returns false
// when no steps are left: see Facts.Exhausted.
func (m *Matcher) Match(f *Facts) bool {
	m = m.current()
	if m.never {
		return false
	}
	for i := range m.list {
		matched := m.list[i].match(f)
		if f.Exhausted() {
			return false
		}
		if matched == m.or {
			return m.or
		}
	}
	return !m.or || len(m.list) == 0
}

// Len returns the number of conditions.
func (m *Matcher) Len() int { return len(m.current().list) }

// Or reports whether one condition is enough.
func (m *Matcher) Or() bool { return m.current().or }

// Uses reports whether a condition uses an attribute. If not, the caller need not determine the attribute.
func (m *Matcher) Uses(a Attr) bool {
	return slices.ContainsFunc(m.current().list, func(c compiled) bool { return c.attr == a })
}

func (c *compiled) match(f *Facts) bool {
	f.countSteps(int(c.steps))
	known := c.known(f)
	if c.test == nil {
		return known == c.want
	}
	v := unknown
	if known {
		v = c.test.test(f, c)
	}
	if v == unknown {
		return c.negate
	}
	return (v == yes) != c.negate
}

func (c *compiled) known(f *Facts) bool {
	if c.attr < numAttrs {
		return f.Known(c.attr)
	}
	return c.paramOrHeader(f) != ""
}

func (c *compiled) paramOrHeader(f *Facts) string {
	switch {
	case f.source == nil:
		return ""
	case c.attr == attrParam:
		return f.source.Param(c.arg)
	default:
		return f.source.Header(c.arg)
	}
}

func (c *compiled) raw(f *Facts) string {
	if c.attr < numAttrs {
		return f.text[c.attr]
	}
	return c.paramOrHeader(f)
}

// folded returns the folded value of a text attribute. The bytes stay valid until the facts are used for something else.
func (c *compiled) folded(f *Facts) []byte {
	if c.attr < numAttrs {
		return f.Folded(c.attr)
	}
	mark := len(f.scratch)
	f.scratch = appendFold(f.scratch, c.paramOrHeader(f))
	value := f.scratch[mark:]
	f.scratch = f.scratch[:mark]
	return value
}

// Finding is the visitor's value for one condition, and whether the condition matched.
type Finding struct {
	Attribute string `json:"attribute"`
	Operator  string `json:"operator"`
	Value     any    `json:"value" is:"value"`
	Seen      string `json:"seen"`
	Known     bool   `json:"known"`
	Matched   bool   `json:"matched"`
}

// Explain returns the result of Match and a finding for every condition. The findings have steps of their own, so that they do
// not use up the steps of the decision. It panics after DiscardConditions.
func (m *Matcher) Explain(f *Facts) (bool, []Finding) {
	m = m.current()
	taken := f.steps
	f.steps = 0
	out := make([]Finding, 0, len(m.list))
	for i := range m.list {
		c := &m.list[i]
		seen := f.Text(c.attr)
		if c.attr >= numAttrs {
			seen = c.paramOrHeader(f)
		}
		out = append(out, Finding{
			Attribute: m.conditions[i].Attribute, Operator: m.conditions[i].Operator, Value: m.conditions[i].Value,
			Seen: seen, Known: c.known(f), Matched: c.match(f),
		})
	}
	f.steps = taken
	matched := m.Match(f)
	f.steps = taken
	return matched, out
}

var inf = math.Inf(1)

type numberRange struct {
	lo, hi float64
	open   bool // both ends are excluded
}

func rangeOf(op operator, n float64) numberRange {
	switch op {
	case opGT:
		return numberRange{n, inf, true}
	case opGTE:
		return numberRange{n, inf, false}
	case opLT:
		return numberRange{-inf, n, true}
	case opLTE:
		return numberRange{-inf, n, false}
	default:
		return numberRange{n, n, false}
	}
}

type numberTest []numberRange

func (t numberTest) test(f *Facts, c *compiled) verdict {
	var n float64
	if c.attr < numAttrs && attributes[c.attr].kind != kindText {
		n = float64(f.number(c.attr))
	} else {
		var ok bool
		if n, ok = parseNumber(c.raw(f)); !ok {
			return unknown
		}
	}
	for _, r := range t {
		if r.lo < n && n < r.hi || !r.open && (n == r.lo || n == r.hi) {
			return yes
		}
	}
	return no
}

// versionTest holds versions in ascending order: all for equality, both bounds for between, and for the other operators only the
// bound that the most versions satisfy. Names, such as XP, can only be equal or not equal.
type versionTest struct {
	op     operator
	values []string
	names  []string
}

func (t *versionTest) test(f *Facts, c *compiled) verdict {
	v := c.raw(f)
	switch {
	case t.op == opEquals && !isVersion(v):
		return verdictOf(slices.ContainsFunc(t.names, func(w string) bool { return strings.EqualFold(v, w) }))
	case t.op == opEquals:
		_, same := slices.BinarySearchFunc(t.values, v, compareVersion)
		return verdictOf(same)
	case !isVersion(v):
		return unknown
	case t.op == opBetween:
		return verdictOf(compareVersion(v, t.values[0]) >= 0 && compareVersion(v, t.values[1]) <= 0)
	default:
		return verdictOf(ordered(t.op, compareVersion(v, t.values[0])))
	}
}

func ordered(op operator, cmp int) bool {
	switch op {
	case opGT:
		return cmp > 0
	case opGTE:
		return cmp >= 0
	case opLT:
		return cmp < 0
	default:
		return cmp <= 0
	}
}

// boolTest says whether the condition matches false and whether it matches true.
type boolTest [2]bool

func (t boolTest) test(f *Facts, c *compiled) verdict { return verdictOf(t[f.num[c.attr]&1]) }

type addrTest struct{ set *netipx.IPSet }

func (t addrTest) test(f *Facts, _ *compiled) verdict { return verdictOf(t.set.Contains(f.addr)) }
