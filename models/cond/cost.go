package cond

import (
	"fmt"
	"math/bits"
)

// Cost is the work and memory that conditions need.
type Cost struct {
	// Steps is the calculated work to match a visitor whose texts have maxText bytes. For a hostile text, a search with contains
	// may take more steps (see containsTest.cost), but at most MaxSteps. A step is about 10 ns. Applying one instruction of a
	// pattern to one byte takes 5 to 13 ns, as measured with slow patterns.
	Steps int `db:"match_steps"`
	// Bytes is the approximate memory of the compiled conditions in every web process.
	Bytes int `db:"match_bytes"`
}

// MaxSteps is the number of steps after which a routing decision ends: about a millisecond. They are counted for the visitor's
// real texts.
const MaxSteps = 100_000

// maxText is the length in bytes for which the cost of matching a text is calculated. Only the requested URL and the referrer can
// be longer.
const maxText = 512

// The budgets of conditions that are saved together.
var (
	RuleBudget = Cost{MaxSteps, 1 << 20} // a saved rule
	FlowBudget = Cost{MaxSteps, 1 << 20} // a flow with its saved rules, or a smartlink: one decision may evaluate all of them
)

// Plus returns the sum of two costs.
func (c Cost) Plus(o Cost) Cost { return Cost{c.Steps + o.Steps, c.Bytes + o.Bytes} }

// Check returns an error if the cost exceeds a budget.
func (c Cost) Check(budget Cost) error {
	switch {
	case c.Steps > budget.Steps:
		return fmt.Errorf("the conditions cost %d steps and at most %d are allowed: "+
			"replace patterns by the operators contains or in, or leave out conditions", c.Steps, budget.Steps)
	case c.Bytes > budget.Bytes:
		return fmt.Errorf("the conditions take %d bytes of memory and at most %d are allowed: "+
			"shorten their lists and patterns", c.Bytes, budget.Bytes)
	}
	return nil
}

// CostOf returns the cost of a list of conditions. The error is an *Error.
func CostOf(list []Condition) (Cost, error) {
	m, err := Compile(list, "")
	if err != nil {
		return Cost{}, err
	}
	return m.Cost(), nil
}

// Cost returns the cost of the matcher's conditions.
func (m *Matcher) Cost() (sum Cost) {
	m = m.current()
	for i := range m.list {
		sum = sum.Plus(Cost{1, conditionBytes})
		if t := m.list[i].test; t != nil {
			sum = sum.Plus(t.cost())
		}
	}
	return sum
}

// The memory of compiled conditions in bytes, including slice headers and the allocator's rounding.
const (
	conditionBytes = 128
	valueBytes     = 48 // of a value, in addition to its text
	searchBytes    = valueBytes + 32
)

func steps(t tester) int32 {
	if r, ok := t.(*regexTest); ok {
		t = &r.parts
	}
	return int32(1 + t.cost().Steps) //nolint:gosec // at most MaxItems values
}

func bytesOf(values [][]byte) (n int) {
	for _, v := range values {
		n += valueBytes + len(v)
	}
	return n
}

// cost returns the cost of a binary search. Comparing up to `linear` values one by one costs no more.
func (t equalTest) cost() Cost { return Cost{4, bytesOf(t)} }

// cost returns the cost of a binary search in the worst case: similar values.
func (t *edgeTest) cost() Cost {
	return Cost{min(len(t.values), 4*linear), bytesOf(t.values)}
}

// cost returns the cost of a binary search among the versions, or of a comparison with all names if that is more.
func (t *versionTest) cost() Cost {
	c := Cost{Steps: max(10*bits.Len(uint(len(t.values))), len(t.names))}
	for _, list := range [][]string{t.values, t.names} {
		for _, v := range list {
			c.Bytes += valueBytes + len(v)
		}
	}
	return c
}

func (t numberTest) cost() Cost { return Cost{5 + len(t), 24 * len(t)} }

func (t boolTest) cost() Cost { return Cost{1, 0} }

func (t addrTest) cost() Cost { return Cost{20, 64 * len(t.set.Ranges())} }

func (t scheduleTest) cost() Cost { return Cost{len(t), 24 * len(t)} }
