package cond

import "bytes"

// automaton reports whether a text contains one of many values, in one pass over the text (Aho-Corasick). It stops at the first
// value that it finds. So a node where a value ends needs no children, and the function distinct leaves out values that begin
// with another value.
//
// Nodes are numbered level by level. So the children of a node end where the children of the next node begin, and a node needs
// only five bytes. Existing libraries need 90 to 2000 bytes, and most of them allocate during a search.
type automaton struct {
	firstPairs pairSet     // the pairs of bytes with which values begin
	root       [256]uint16 // the children of the root by their byte; 0: none
	label      []byte      // the byte that leads to a node
	child      []uint16    // the first child of each node; one more entry marks the end of the last node's children
	fail       []uint16    // for each node, the node of the longest proper suffix of the node's text, or valueEnds
}

const (
	valueEnds = ^uint16(0) // an entry in fail: a value ends at the node
	nodeBytes = 5

	// maxNodes is the maximum number of nodes. With it, the automata of MaxConditions conditions need less memory than
	// RuleBudget.
	maxNodes = 8192

	// manyChildren is the number of children above which a child is searched with bytes.IndexByte.
	manyChildren = 8
)

// pairSet is a set of pairs of bytes, by a hash. At nearly all positions of a text, no value begins. The set shows this within a
// nanosecond. Without the set, a search takes twice as long.
type pairSet [32]uint64

func (s *pairSet) add(a, b byte) {
	h := hashOfPair(a, b)
	s[h>>6] |= 1 << (h & 63)
}

func (s *pairSet) has(a, b byte) bool {
	h := hashOfPair(a, b)
	return s[h>>6]&(1<<(h&63)) != 0
}

// hashOfPair returns 11 bits.
func hashOfPair(a, b byte) uint32 { return (uint32(a)<<8 | uint32(b)) * 0x9e3779b1 >> 21 }

// newAutomaton returns the automaton for values from the function distinct. It returns nil if the automaton would be too large.
func newAutomaton(values [][]byte) *automaton {
	size := countNodes(values)
	if size > maxNodes {
		return nil
	}
	a := &automaton{label: make([]byte, 1, size), child: make([]uint16, 0, size+1), fail: make([]uint16, 1, size)}
	a.setFirstPairs(values)
	type node struct{ from, to, depth int } // the values whose paths contain the node, and the length of their common prefix
	queue := append(make([]node, 0, size), node{0, len(values), 0})
	for n := 0; n < len(queue); n++ {
		p := queue[n]
		a.child = append(a.child, uint16(len(queue))) //nolint:gosec // at most maxNodes
		for from := p.from; from < p.to && len(values[from]) > p.depth; {
			b, to := values[from][p.depth], from+1
			for to < p.to && values[to][p.depth] == b {
				to++
			}
			if n == 0 {
				a.root[b] = uint16(len(queue)) //nolint:gosec // at most 256
			}
			fail := valueEnds
			if len(values[from]) > p.depth+1 {
				fail = a.failOf(n, b)
			}
			a.label, a.fail = append(a.label, b), append(a.fail, fail)
			queue, from = append(queue, node{from, to, p.depth + 1}), to
		}
	}
	a.child = append(a.child, uint16(size)) //nolint:gosec // at most maxNodes
	return a
}

// countNodes returns the number of different prefixes of sorted values, including the empty prefix.
func countNodes(values [][]byte) int {
	size, before := 1, []byte(nil)
	for _, v := range values {
		same := 0
		for same < len(before) && same < len(v) && before[same] == v[same] {
			same++
		}
		size, before = size+len(v)-same, v
	}
	return size
}

func (a *automaton) setFirstPairs(values [][]byte) {
	for _, v := range values {
		if len(v) > 1 {
			a.firstPairs.add(v[0], v[1])
			continue
		}
		for b := range 256 {
			a.firstPairs.add(v[0], byte(b))
		}
	}
}

// failOf returns the entry in fail for the new child of node n at byte b. All levels above are already set.
func (a *automaton) failOf(n int, b byte) uint16 {
	if n == 0 {
		return 0
	}
	to := uint16(0)
	for at := a.fail[n]; at != 0 && at != valueEnds && to == 0; at = a.fail[at] {
		to = a.next(at, b)
	}
	if to == 0 {
		to = a.root[b]
	}
	if to != 0 && a.fail[to] == valueEnds {
		return valueEnds
	}
	return to
}

// next returns the child of a node for a byte, or 0 if the node has no such child.
func (a *automaton) next(n uint16, b byte) uint16 {
	from, to := a.child[n], a.child[n+1]
	if to-from > manyChildren {
		i := bytes.IndexByte(a.label[from:to], b)
		if i < 0 {
			return 0
		}
		return from + uint16(i) //nolint:gosec // a node
	}
	for ; from < to; from++ {
		if a.label[from] == b {
			return from
		}
	}
	return 0
}

// foundIn reports whether a text contains one of the values.
func (a *automaton) foundIn(text []byte) bool {
	for i := 0; i < len(text); {
		b, after := text[i], byte(0)
		if i++; i < len(text) {
			after = text[i]
		}
		if !a.firstPairs.has(b, after) {
			continue
		}
		n := a.root[b]
		if n != 0 && a.fail[n] == valueEnds {
			return true
		}
		for n != 0 && i < len(text) {
			to := a.next(n, text[i])
			if to == 0 {
				n = a.fail[n]
				continue
			}
			if n = to; a.fail[n] == valueEnds {
				return true
			}
			i++
		}
	}
	return false
}

// bytes returns the approximate memory of the automaton, for the fixed tables and the nodes.
func (a *automaton) bytes() int { return 1024 + (nodeBytes+1)*len(a.label) }
