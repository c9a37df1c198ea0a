package cond

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
)

// equalTest compares a folded text with folded values in ascending order.
type equalTest struct{ values []string }

func newEqualTest(values []string) *equalTest {
	t := &equalTest{values: make([]string, 0, len(values))}
	for _, v := range values {
		t.values = append(t.values, string(appendFold(nil, v)))
	}
	slices.Sort(t.values)
	t.values = slices.Compact(t.values)
	return t
}

func (t *equalTest) test(f *Facts, c *compiled) verdict {
	_, found := slices.BinarySearchFunc(t.values, c.folded(f), compareText)
	return say(found)
}

func compareText(a string, b []byte) int {
	switch {
	case a < string(b):
		return -1
	case a > string(b):
		return 1
	}
	return 0
}

// hashes gives the hashes of the values, which tell most other texts apart from them without a look at the values.
func (t *equalTest) hashes() []uint64 {
	list := make([]uint64, len(t.values))
	for i, v := range t.values {
		list[i] = maphash.String(hashSeed, v)
	}
	slices.Sort(list)
	return list
}

var hashSeed = maphash.MakeSeed()

// textTest searches a folded text for its beginning, its end or a part of it.
type textTest struct {
	op      operator
	needles []needle
}

// needle is a folded value and the place of its rarest byte: searching for that one first skips most of a text.
type needle struct {
	text  []byte
	rare  int
	grams grams
}

// grams is the set of the neighbouring pairs of bytes in a text, hashed: a text that lacks a pair of the needle
// cannot hold the needle.
type grams [4]uint64

// maxGrams is the longest text whose pairs are worth collecting; those of longer ones fill the set.
const maxGrams = 256

func gramsOf(text []byte) (g grams) {
	for i := 1; i < len(text); i++ {
		h := (uint32(text[i-1])<<8 | uint32(text[i])) * 0x9e3779b1 >> 24
		g[h>>6] |= 1 << (h & 63)
	}
	return g
}

func (g *grams) cover(n *grams) bool {
	return n[0]&^g[0]|n[1]&^g[1]|n[2]&^g[2]|n[3]&^g[3] == 0
}

func newTextTest(op operator, values []string) *textTest {
	t := &textTest{op: op}
	for _, v := range values {
		t.needles = append(t.needles, newNeedle(appendFold(nil, v)))
	}
	return t
}

// commonFirst ranks the bytes of user agents and addresses; a byte that is not listed is rarer than all of them.
const commonFirst = " eioa/t.n0srl1c5;2m3p4()k67h8d9w-ubgf:vyx_=&?qjz"

func newNeedle(text []byte) needle {
	n, best := needle{text: text, grams: gramsOf(text)}, -1
	for i, c := range text {
		rank := strings.IndexByte(commonFirst, c)
		if rank < 0 {
			rank = len(commonFirst)
		}
		if rank > best {
			n.rare, best = i, rank
		}
	}
	return n
}

// in tells whether the needle occurs in a text.
func (n *needle) in(text []byte) bool {
	last := len(text) - len(n.text) // where the needle may begin at the latest
	for at := 0; at <= last; at++ {
		i := bytes.IndexByte(text[at+n.rare:last+n.rare+1], n.text[n.rare])
		if i < 0 {
			return false
		}
		if at += i; bytes.Equal(text[at:at+len(n.text)], n.text) {
			return true
		}
	}
	return false
}

func (t *textTest) test(f *Facts, c *compiled) verdict {
	value := c.folded(f)
	if t.op == opContains && c.attr < numAttrs && len(value) <= maxGrams {
		return say(t.within(value, f.gramsOf(c.attr, value)))
	}
	return say(t.holds(value))
}

// within is holds for substrings of a text whose pairs are known.
func (t *textTest) within(value []byte, g *grams) bool {
	for i := range t.needles {
		if n := &t.needles[i]; g.cover(&n.grams) && n.in(value) {
			return true
		}
	}
	return false
}

func (t *textTest) holds(value []byte) bool {
	for i := range t.needles {
		n := &t.needles[i]
		var ok bool
		switch t.op {
		case opStartsWith:
			ok = bytes.HasPrefix(value, n.text)
		case opEndsWith:
			ok = bytes.HasSuffix(value, n.text)
		default:
			ok = n.in(value)
		}
		if ok {
			return true
		}
	}
	return false
}
