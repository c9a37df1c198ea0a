package cond

import (
	"bytes"
	"strings"
)

// textTest compares folded text: equality, beginning, end or substring.
type textTest struct {
	op      operator
	needles []needle
	set     map[string]struct{} // in place of needles for the equality of many
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

// linear is how many values are compared one by one; more go into a map.
const linear = 8

func newTextTest(op operator, values []string) tester {
	t := &textTest{op: op}
	if op == opEquals && len(values) > linear {
		t.set = make(map[string]struct{}, len(values))
		for _, v := range values {
			t.set[string(appendFold(nil, v))] = struct{}{}
		}
		return t
	}
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
	if c.attr < numAttrs {
		value := f.fold(c.attr)
		if t.op == opContains && len(value) <= maxGrams {
			return say(t.within(value, f.gramsOf(c.attr, value)))
		}
		return say(t.holds(value))
	}
	mark := len(f.scratch)
	f.scratch = appendFold(f.scratch, c.looked(f))
	held := t.holds(f.scratch[mark:])
	f.scratch = f.scratch[:mark]
	return say(held)
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
	if t.set != nil {
		_, ok := t.set[string(value)]
		return ok
	}
	for i := range t.needles {
		n := &t.needles[i]
		var ok bool
		switch t.op {
		case opEquals:
			ok = bytes.Equal(value, n.text)
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
