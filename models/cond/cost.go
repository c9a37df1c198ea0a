package cond

import "fmt"

// Cost is what conditions take at most.
type Cost struct {
	// Steps bound the work of one look at a visitor whose texts have maxText bytes. A step is about 10 ns: what a pattern
	// does with one instruction at one byte takes 5 to 13 ns, as measured with patterns made to be slow.
	Steps int `db:"match_steps"`
	// Bytes is about the memory of the compiled conditions. Every web process holds them.
	Bytes int `db:"match_bytes"`
}

// MaxSteps ends a routing decision: about a millisecond. It counts what a visitor's own texts cost, which are mostly
// shorter than maxText.
const MaxSteps = 100_000

// maxText is the longest value of an attribute that a visitor chooses, but for his address on the page.
const maxText = 512

// What conditions that are saved together may cost.
var (
	RuleBudget = Cost{MaxSteps, 1 << 20} // a saved rule
	FlowBudget = Cost{MaxSteps, 1 << 20} // a flow with the saved rules it uses, or a smartlink: one decision may look at all
)

// Plus adds up two costs.
func (c Cost) Plus(o Cost) Cost { return Cost{c.Steps + o.Steps, c.Bytes + o.Bytes} }

// Check refuses a cost over a budget. The error says by how much, and what to do.
func (c Cost) Check(budget Cost) error {
	switch {
	case c.Steps > budget.Steps:
		return fmt.Errorf("the conditions cost %d steps and at most %d are allowed: "+
			"let contains or in take the place of patterns, or leave some out", c.Steps, budget.Steps)
	case c.Bytes > budget.Bytes:
		return fmt.Errorf("the conditions take %d bytes of memory and at most %d are allowed: "+
			"shorten their lists and patterns", c.Bytes, budget.Bytes)
	}
	return nil
}

// CostOf gives what a list of conditions costs. The error is an *Error.
func CostOf(list []Condition) (Cost, error) {
	m, err := Compile(list, "")
	if err != nil {
		return Cost{}, err
	}
	return m.Cost(), nil
}

// Cost gives what the conditions cost.
func (m *Matcher) Cost() (sum Cost) {
	m = m.now()
	for i := range m.list {
		sum = sum.Plus(Cost{1, conditionBytes})
		if t := m.list[i].test; t != nil {
			sum = sum.Plus(t.cost())
		}
	}
	return sum
}

// Bytes of what conditions are compiled to, headers of slices and rounding by the allocator included.
const (
	conditionBytes = 128
	valueBytes     = 48 // beside its text
	searchBytes    = valueBytes + 32
)

// steps is what a look by a tester takes, but for its patterns.
func steps(t tester) int32 {
	if r, ok := t.(regexTest); ok {
		t = r.parts
	}
	return int32(1 + t.cost().Steps) //nolint:gosec // MaxItems values
}

func costOfValues(values [][]byte, each, bytes int) (c Cost) {
	for _, v := range values {
		c = c.Plus(Cost{each, bytes + len(v)})
	}
	return c
}

// cost of an equality is that of a hash, or a binary search.
func (t equalTest) cost() Cost { return Cost{4, costOfValues(t, 0, valueBytes).Bytes} }

func (t *edgeTest) cost() Cost { return costOfValues(t.values, 1, valueBytes) }

func (t containsTest) cost() (c Cost) {
	for _, v := range t {
		c = c.Plus(Cost{maxText / 64, searchBytes + len(v.text)})
	}
	return c
}

func (t *versionTest) cost() Cost {
	c := Cost{Steps: 10 * len(t.values)}
	for _, v := range t.values {
		c.Bytes += valueBytes + len(v)
	}
	return c
}

func (t numberTest) cost() Cost { return Cost{5 + len(t), 24 * len(t)} }

func (t boolTest) cost() Cost { return Cost{1, 0} }

func (t addrTest) cost() Cost { return Cost{20, 64 * len(t.set.Ranges())} }

func (t scheduleTest) cost() Cost { return Cost{len(t), 24 * len(t)} }
