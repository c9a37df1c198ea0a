package cond

import (
	"bytes"
	"slices"
)

// linear is up to how many values are compared one by one. A binary search among three costs 7% of a redirect more.
const linear = 16

// equalTest looks for a folded text among folded values in ascending order.
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
		return say(found)
	}
	for _, v := range t {
		if bytes.Equal(v, value) {
			return yes
		}
	}
	return no
}

// edgeTest looks for folded values at the beginning or at the end of a folded text.
type edgeTest struct {
	holds  func(text, value []byte) bool
	values [][]byte
}

func (t *edgeTest) test(f *Facts, c *compiled) verdict {
	value := c.folded(f)
	return say(slices.ContainsFunc(t.values, func(v []byte) bool { return t.holds(value, v) }))
}

// containsTest looks for folded values in a folded text. It searches only for values all of whose pairs the text has:
// without that, BenchmarkPick takes a third longer.
type containsTest []struct {
	text  []byte
	pairs pairs
}

func newContainsTest(values []string) containsTest {
	t := make(containsTest, len(values))
	for i, text := range foldAll(values) {
		t[i].text, t[i].pairs = text, pairsOf(text)
	}
	return t
}

func (t containsTest) test(f *Facts, c *compiled) verdict {
	value := c.folded(f)
	known := &pairs{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
	if c.attr < numAttrs && len(value) <= maxPairs {
		known = f.pairsOf(c.attr, value)
	}
	each := searchSteps(len(value))
	for i := range t {
		if !known.cover(&t[i].pairs) {
			continue
		}
		if !f.take(each) {
			return no
		}
		if bytes.Contains(value, t[i].text) {
			return yes
		}
	}
	return no
}

// searchSteps is what one search in a text of n bytes costs. A hostile text takes a quarter of a step a byte, as measured,
// a usual one next to nothing. So a text of usual length costs something between, and a longer one the worst.
func searchSteps(n int) int {
	if n > 4*maxText {
		return n / 4
	}
	return n / 16
}

// pairs is the set of all pairs of neighbouring bytes in a text, hashed.
type pairs [4]uint64

// maxPairs is the longest text whose pairs are worth collecting; those of longer ones fill the set.
const maxPairs = 256

func pairsOf(text []byte) (p pairs) {
	for i := 1; i < len(text); i++ {
		h := (uint32(text[i-1])<<8 | uint32(text[i])) * 0x9e3779b1 >> 24
		p[h>>6] |= 1 << (h & 63)
	}
	return p
}

// cover reports whether the set has all pairs of another one.
func (p *pairs) cover(of *pairs) bool {
	return of[0]&^p[0]|of[1]&^p[1]|of[2]&^p[2]|of[3]&^p[3] == 0
}
