package cond

import (
	"bytes"
	"cmp"
	"slices"
)

// linear is the largest number of values that are compared one by one. A binary search among only three values makes a redirect
// 7% slower.
const linear = 16

// equalTest compares a folded text with folded values, which are in ascending order.
type equalTest [][]byte

func newEqualTest(values []string) equalTest {
	t := equalTest(foldAll(values))
	slices.SortFunc(t, bytes.Compare)
	return t
}

func foldAll(values []string) [][]byte {
	out := make([][]byte, len(values))
	for i, v := range values {
		out[i] = appendFold(nil, v)
	}
	return out
}

func (t equalTest) test(f *Facts, c *compiled) verdict {
	value := c.folded(f)
	if len(t) > linear {
		_, found := slices.BinarySearchFunc(t, value, bytes.Compare)
		return verdictOf(found)
	}
	for _, v := range t {
		if bytes.Equal(v, value) {
			return yes
		}
	}
	return no
}

// distinct sorts values and removes each value that begins with another value. For a search at the end, it removes each value
// that ends with another value.
func distinct(values [][]byte, compare func(a, b []byte) int, begins func(text, value []byte) bool) [][]byte {
	slices.SortFunc(values, compare)
	kept := values[:0]
	for _, v := range values {
		if len(kept) == 0 || !begins(v, kept[len(kept)-1]) {
			kept = append(kept, v)
		}
	}
	return slices.Clone(kept)
}

// edgeTest searches for folded values at the beginning or the end of a folded text. No value begins (or ends) with another one,
// so only the last value that does not come after the text can match.
type edgeTest struct {
	hasAtEdge func(text, value []byte) bool
	compare   func(a, b []byte) int
	values    [][]byte
	ends      bool // search at the end of the text
}

func newEdgeTest(op operator, values []string) *edgeTest {
	t := &edgeTest{hasAtEdge: bytes.HasPrefix, compare: bytes.Compare}
	if op == opEndsWith {
		t.hasAtEdge, t.compare, t.ends = bytes.HasSuffix, compareBackwards, true
	}
	t.values = distinct(foldAll(values), t.compare, t.hasAtEdge)
	return t
}

func (t *edgeTest) test(f *Facts, c *compiled) verdict {
	value := c.folded(f)
	if len(t.values) > linear {
		i, same := slices.BinarySearchFunc(t.values, value, t.compare)
		return verdictOf(same || i > 0 && t.hasAtEdge(value, t.values[i-1]))
	}
	return verdictOf(slices.ContainsFunc(t.values, func(v []byte) bool { return t.hasAtEdge(value, v) }))
}

func compareBackwards(a, b []byte) int {
	for i, j := len(a)-1, len(b)-1; i >= 0 && j >= 0; i, j = i-1, j-1 {
		if a[i] != b[j] {
			return cmp.Compare(a[i], b[j])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// containsTest searches for folded values anywhere in a folded text. An automaton searches for many values at once. Without it,
// the text is searched for one value after the other. A value with a pair of bytes that the text lacks is then skipped: otherwise
// BenchmarkPick takes a third longer.
type containsTest struct {
	values    []searched
	automaton *automaton // used instead of values; nil: there are few values, or the automaton would be too large
}

type searched struct {
	text  []byte
	pairs pairs
}

func newContainsTest(values []string) (t containsTest) {
	texts := foldAll(values)
	if len(texts) > linear {
		if texts = distinct(texts, bytes.Compare, bytes.HasPrefix); len(texts) > linear {
			t.automaton = newAutomaton(texts)
		}
	}
	if t.automaton != nil {
		return t
	}
	t.values = make([]searched, len(texts))
	for i, text := range texts {
		t.values[i] = searched{text, pairsOf(text)}
	}
	return t
}

func (t *containsTest) empty() bool { return t.automaton == nil && len(t.values) == 0 }

func (t *containsTest) test(f *Facts, c *compiled) verdict {
	value := c.folded(f)
	if t.automaton != nil {
		return verdictOf(f.countSteps(max(0, len(value)-maxText)) && t.automaton.foundIn(value))
	}
	known := &pairs{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	if c.attr < numAttrs && len(value) <= maxPairs {
		known = f.pairsOf(c.attr, value)
	}
	stepsPerValue := searchSteps(len(value))
	for i := range t.values {
		v := &t.values[i]
		if !known.contains(&v.pairs) {
			continue
		}
		if !f.countSteps(stepsPerValue) {
			return no
		}
		if bytes.Contains(value, v.text) {
			return yes
		}
	}
	return no
}

// cost returns the cost of a search in a text of maxText bytes. An automaton makes one pass over the text. As measured, this
// takes one step for each byte of a hostile text, and a quarter of a step for each byte of a usual text: half a step is counted.
// test counts one more step for each byte beyond maxText.
//
// Without an automaton, the cost is a quarter of the steps that test counts for maxText bytes. A higher figure would refuse saved
// rules that work.
func (t *containsTest) cost() (c Cost) {
	if t.automaton != nil {
		return Cost{maxText / 2, t.automaton.bytes()}
	}
	for i := range t.values {
		c = c.Plus(Cost{maxText / 64, searchBytes + len(t.values[i].text)})
	}
	return c
}

// searchSteps returns the cost of a search for one value in a text of n bytes. As measured, a hostile text costs a quarter of a
// step for each byte, and a usual text almost nothing. So short texts are counted with a cost in between, and long texts as
// hostile.
func searchSteps(n int) int {
	if n > 4*maxText {
		return n / 4
	}
	return n / 16
}

// pairs is the set of pairs of neighbouring bytes in a text, by a hash.
type pairs [4]uint64

// maxPairs is the length of the longest text of a visitor whose pairs are collected. The pairs of a longer text would fill the set.
const maxPairs = 256

func pairsOf(text []byte) (p pairs) {
	for i := 1; i < len(text); i++ {
		h := (uint32(text[i-1])<<8 | uint32(text[i])) * 0x9e3779b1 >> 24
		p[h>>6] |= 1 << (h & 63)
	}
	return p
}

func (p *pairs) contains(other *pairs) bool {
	return other[0]&^p[0]|other[1]&^p[1]|other[2]&^p[2]|other[3]&^p[3] == 0
}
