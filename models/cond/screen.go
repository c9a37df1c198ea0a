package cond

// Screen is a first look at whole lists of matchers: for each it knows one text that a visitor must equal, if there is such
// a condition, by its hash alone. Most of what nobody will match is refused by it, in a fraction of the memory that the
// matchers take: they are read only for what passes.
type Screen struct {
	needs  []need
	hashes []uint32
}

// need is the condition that a list cannot do without; one without hashes refuses nobody.
type need struct {
	attr   Attr
	at, to uint16
}

// Add gives the screen one more list: its matchers together, or with or any of them, decide.
func (s *Screen) Add(list []Matcher, or bool) {
	n := need{at: uint16(len(s.hashes)), to: uint16(len(s.hashes))}
	if c := necessary(list, or); c != nil && len(s.hashes)+len(c.hashes) <= 1<<16-1 {
		n.attr = c.attr
		for _, h := range c.hashes {
			s.hashes = append(s.hashes, uint32(h>>32)) // in the same order
		}
		n.to = uint16(len(s.hashes))
	}
	s.needs = append(s.needs, n)
}

func necessary(list []Matcher, or bool) *compiled {
	for i := range list {
		m := &list[i] // what a shared one asks for may change: its own list is empty
		for j := range m.list {
			if c := &m.list[j]; c.hashes != nil && !c.negate && (!or || len(list) == 1) && (!m.or || len(m.list) == 1) {
				return c
			}
		}
	}
	return nil
}

// Refuses tells that the list added as number i does not match; false leaves the answer to its matchers.
func (s *Screen) Refuses(i int, f *Facts) bool {
	n := &s.needs[i]
	if n.at == n.to {
		return false
	}
	if !f.Known(n.attr) {
		return true
	}
	return find(s.hashes[n.at:n.to], uint32(f.hashOf(n.attr)>>32)) < 0
}
