package cond

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// equalTest compares a folded text with folded values, by their hashes first. Both lists are in the order of the hashes.
type equalTest struct {
	hashes []uint64
	values []string
}

func newEqualTest(values []string) *equalTest {
	t := &equalTest{hashes: make([]uint64, len(values)), values: make([]string, len(values))}
	for i, v := range values {
		t.values[i] = string(appendFold(nil, v))
	}
	slices.SortFunc(t.values, func(a, b string) int { return cmp.Compare(hashText(a), hashText(b)) })
	for i, v := range t.values {
		t.hashes[i] = hashText(v)
	}
	return t
}

var hashSeed = maphash.MakeSeed()

func hashText(s string) uint64 { return maphash.String(hashSeed, s) }

func (t *equalTest) test(f *Facts, c *compiled) verdict {
	value := c.folded(f)
	sum := maphash.Bytes(hashSeed, value)
	return say(t.among(find(t.hashes, sum), sum, value))
}

// among tells whether a text is one of the values. The first value with its hash is at i; below zero none has it.
func (t *equalTest) among(i int, sum uint64, value []byte) bool {
	for ; i >= 0 && i < len(t.values) && t.hashes[i] == sum; i++ {
		if t.values[i] == string(value) {
			return true
		}
	}
	return false
}

// linear is up to how many hashes are compared one by one.
const linear = 16

// find gives the first place of a hash in an ascending list, -1 when it is not there.
func find[T uint32 | uint64](list []T, sum T) int {
	if len(list) <= linear {
		return slices.Index(list, sum)
	}
	if i, found := slices.BinarySearch(list, sum); found {
		return i
	}
	return -1
}

// textTest searches a folded text for its beginning, its end or a part of it.
type textTest struct {
	op      operator
	needles []needle
}

// needle is a folded value and the place of its rarest byte. A search for that byte skips most of a text.
type needle struct {
	text  []byte
	rare  int
	grams grams
}

// grams is the set of all pairs of neighbouring bytes in a text, hashed. A text that lacks a pair of a needle does not
// hold the needle.
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
