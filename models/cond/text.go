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
	text []byte
	rare int
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
	n, best := needle{text: text}, -1
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
		return say(t.holds(f.fold(c.attr)))
	}
	mark := len(f.scratch)
	f.scratch = appendFold(f.scratch, c.looked(f))
	held := t.holds(f.scratch[mark:])
	f.scratch = f.scratch[:mark]
	return say(held)
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
