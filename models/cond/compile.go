package cond

import (
	"slices"
	"strings"
	"sync/atomic"

	"go4.org/netipx"
)

// Matcher is a compiled list of conditions. It is safe for concurrent use. What it matches never changes, except in a shared
// matcher.
type Matcher struct {
	list       []compiled
	conditions []Condition // the conditions in list, for Explain; nil after DiscardConditions
	or         bool
	never      bool
	live       *atomic.Pointer[Matcher] // set only in a shared matcher, whose other fields are empty
}

// NewShared returns a matcher that matches like m until a call of Set, and then like the matcher that Set was given. So a rule that
// many flows use can change without compiling the flows again.
func NewShared(m *Matcher) *Matcher {
	s := &Matcher{live: new(atomic.Pointer[Matcher])}
	s.live.Store(m.current())
	return s
}

// Set replaces the matcher behind a shared matcher. It panics if m was not made by NewShared.
func (m *Matcher) Set(to *Matcher) { m.live.Store(to.current()) }

// current returns the matcher behind a shared matcher, or the matcher itself.
func (m *Matcher) current() *Matcher {
	if m.live != nil {
		return m.live.Load()
	}
	return m
}

// Never is a matcher that refuses every visitor. It stands for a rule that no longer exists.
var Never = &Matcher{never: true}

type compiled struct {
	attr   Attr
	negate bool
	want   bool   // the answer that is_set expects
	steps  int32  // cost of one comparison, without the steps of its patterns
	test   tester // nil for is_set
	arg    string // the name in param.<name> or header.<name>
}

// Compile compiles a list of conditions. With the logic "or" one condition must hold, otherwise all must hold. An empty list
// matches every visitor. The error is an *Error. The caller must not change the list before DiscardConditions.
func Compile(list []Condition, logic string) (*Matcher, error) {
	m := &Matcher{list: make([]compiled, 0, len(list)), conditions: list, or: strings.EqualFold(logic, "or")}
	for i := range list {
		c, err := compile(&list[i])
		if err != nil {
			return nil, err
		}
		m.list = append(m.list, c)
	}
	return m, nil
}

// DiscardConditions releases the conditions, because they would add 40% to a campaign's memory. Explain then cannot be called.
func (m *Matcher) DiscardConditions() { m.conditions = nil }

func compile(c *Condition) (compiled, *Error) {
	fail := func(e *Error) (compiled, *Error) {
		e.Attribute, e.Operator = c.Attribute, c.Operator
		return compiled{}, e
	}
	attr, k, arg, ok := findAttr(c.Attribute)
	if !ok {
		return fail(&Error{Reason: UnknownAttribute})
	}
	info, ok := operators[c.Operator]
	if !ok || allowed[k]&(1<<info.op) == 0 {
		return fail(&Error{Reason: UnknownOperator})
	}
	out := compiled{arg: arg, attr: attr, negate: info.negate}
	if k == kindSchedule {
		slots, err := parseSchedule(c.Value)
		if err != nil {
			return fail(err)
		}
		out.test = scheduleTest(slots)
		out.steps = steps(out.test)
		return out, nil
	}
	values, err := items(c.Value)
	if err != nil {
		return fail(err)
	}
	if info.op == opIsSet {
		if out.want, ok = parseBool(values[0]); !ok || len(values) > 1 {
			return fail(&Error{Reason: BadValue, Detail: "the operator is_set needs true or false"})
		}
		return out, nil
	}
	if out.test, err = newTester(attr, k, info.op, values); err != nil {
		return fail(err)
	}
	out.steps = steps(out.test)
	return out, nil
}

func newTester(a Attr, k kind, op operator, values []string) (tester, *Error) {
	if op == opRegex {
		return newRegexTest(values)
	}
	if err := tooLong(values); err != nil {
		return nil, err
	}
	switch {
	case op == opCIDR, op == opEquals && k == kindIP:
		return newAddrTest(values)
	case op == opEquals && k == kindBool:
		return newBoolTest(values)
	case op == opEquals && k == kindText:
		return newEqualTest(canonicalValues(a, values)), nil
	case op == opContains:
		t := newContainsTest(values)
		return &t, nil
	case op == opStartsWith, op == opEndsWith:
		return newEdgeTest(op, values), nil
	case k == kindVersion:
		return newVersionTest(op, values)
	default:
		return newNumberTest(a, k, op, values)
	}
}

func newBoolTest(values []string) (tester, *Error) {
	var t boolTest
	for _, s := range values {
		v, ok := parseBool(s)
		if !ok {
			return nil, &Error{Reason: BadValue, Detail: "it must be true or false"}
		}
		t[b2i(v)] = true
	}
	return t, nil
}

func newAddrTest(values []string) (tester, *Error) {
	var b netipx.IPSetBuilder
	for _, s := range values {
		r := ParseRange(s)
		if !r.IsValid() {
			return nil, &Error{Reason: BadValue, Detail: "not an address or a network"}
		}
		b.AddRange(r)
	}
	set, err := b.IPSet()
	if err != nil {
		return nil, &Error{Reason: BadValue, Detail: "not an address or a network"}
	}
	return addrTest{set}, nil
}

// pair returns the two bounds of the operator "between". values has both, or a single text "from,to".
func pair(values []string) (lo, hi string, err *Error) {
	if len(values) == 1 {
		values = strings.Split(values[0], ",")
	}
	if len(values) != 2 {
		return "", "", &Error{Reason: BadValue, Detail: "the operator between needs two values"}
	}
	return strings.TrimSpace(values[0]), strings.TrimSpace(values[1]), nil
}

func descending() *Error {
	return &Error{Reason: BadValue, Detail: "the first value of the operator between must not be larger than the second"}
}

func newVersionTest(op operator, values []string) (tester, *Error) {
	t := &versionTest{op: op}
	if op == opBetween {
		lo, hi, err := pair(values)
		if err != nil {
			return nil, err
		}
		if compareVersion(lo, hi) > 0 {
			return nil, descending()
		}
		values = []string{lo, hi}
	}
	for _, v := range values {
		if isVersion(v) {
			t.values = append(t.values, v)
		} else {
			t.names = append(t.names, v)
		}
	}
	if op != opEquals && len(t.names) > 0 {
		return nil, &Error{Reason: BadValue, Detail: "not a version number"}
	}
	slices.SortFunc(t.values, compareVersion)
	switch op { // the widest bound includes all other bounds
	case opGT, opGTE:
		t.values = t.values[:1:1]
	case opLT, opLTE:
		t.values = t.values[len(t.values)-1:]
	default:
	}
	return t, nil
}

// canonicalValues returns the values in the canonical form that visitors have. Old conditions may contain other forms: phone means
// mobile.
func canonicalValues(a Attr, values []string) []string {
	closed := valuesOf(a)
	for i, text := range values {
		if form, ok := closed.Find(text); ok {
			values[i] = form
		}
	}
	return values
}

func newNumberTest(a Attr, k kind, op operator, values []string) (tester, *Error) {
	badNumber := &Error{Reason: BadValue, Detail: "not a number"}
	switch {
	case k == kindDate:
		badNumber.Detail = "not a date like 2026-01-31"
	case a == DayOfWeek:
		badNumber.Detail = badDays
	}
	if op == opBetween {
		from, to, err := pair(values)
		if err != nil {
			return nil, err
		}
		lo, ok1 := operand(a, k, from)
		hi, ok2 := operand(a, k, to)
		if !ok1 || !ok2 {
			return nil, badNumber
		}
		cyclic := a == HourOfDay || a == DayOfWeek
		if lo > hi && !cyclic {
			return nil, descending()
		}
		if lo > hi { // the hours 22 to 6 include midnight
			return numberTest{{lo: lo, hi: inf}, {lo: -inf, hi: hi}}, nil
		}
		return numberTest{{lo: lo, hi: hi}}, nil
	}
	t := make(numberTest, 0, len(values))
	for _, s := range values {
		n, ok := operand(a, k, s)
		if !ok {
			return nil, badNumber
		}
		t = append(t, rangeOf(op, n))
	}
	return t, nil
}
