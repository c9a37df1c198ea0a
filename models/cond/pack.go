package cond

import "switchyard/models/shelf"

// Pack copies matchers, with what they compare, into memory of their own, in the order in which they are asked. A process
// that holds thousands of flows finds little of the one it needs in the processor's caches: then memory that is read from
// its beginning to its end costs a fraction of as much that lies about. Shared matchers stay shared. A packed matcher
// cannot be explained.
func Pack(list []*Matcher) []Matcher {
	out := make([]Matcher, len(list))
	var p packer
	for i, m := range list {
		out[i] = *m
		p.count(m)
	}
	p.reserve()
	for i := range out {
		p.pack(&out[i])
	}
	return out
}

// packer holds everything of one kind side by side.
type packer struct {
	conditions arena[compiled]
	hashes     arena[uint64]
	equals     arena[equalTest]
	searches   arena[textTest]
	needles    arena[needle]
	versions   arena[versionTest]
	values     arena[string]
	bytes      arena[byte]
	texts      *shelf.Shelf
	letters    int // of the texts together
}

// arena is a list whose size is counted before it is filled, so that it is never moved.
type arena[T any] struct {
	list []T
	size int
}

func (a *arena[T]) reserve() { a.list = make([]T, 0, a.size) }

func (a *arena[T]) add(items ...T) []T {
	at := len(a.list)
	a.list = append(a.list, items...)
	return a.list[at:len(a.list):len(a.list)]
}

func (p *packer) reserve() {
	p.conditions.reserve()
	p.hashes.reserve()
	p.equals.reserve()
	p.searches.reserve()
	p.needles.reserve()
	p.versions.reserve()
	p.values.reserve()
	p.bytes.reserve()
	p.texts = shelf.New(p.letters)
}

func (p *packer) count(m *Matcher) {
	p.conditions.size += len(m.list)
	for i := range m.list {
		c := &m.list[i]
		switch t := c.test.(type) {
		case *equalTest:
			p.equals.size++
			p.hashes.size += len(t.hashes)
			p.countTexts(t.values)
		case *versionTest:
			p.versions.size++
			p.countTexts(t.values)
		case *textTest:
			p.searches.size++
			p.needles.size += len(t.needles)
			for j := range t.needles {
				p.bytes.size += len(t.needles[j].text)
			}
		}
	}
}

func (p *packer) countTexts(list []string) {
	p.values.size += len(list)
	for _, s := range list {
		p.letters += len(s)
	}
}

func (p *packer) pack(m *Matcher) {
	m.list = p.conditions.add(m.list...)
	for i := range m.list {
		c := &m.list[i]
		c.src = nil
		switch t := c.test.(type) {
		case *equalTest:
			c.test = &p.equals.add(equalTest{p.hashes.add(t.hashes...), p.addTexts(t.values)})[0]
			c.index()
		case *versionTest:
			c.test = &p.versions.add(versionTest{t.op, p.addTexts(t.values)})[0]
		case *textTest:
			c.test = &p.searches.add(textTest{t.op, p.addNeedles(t.needles)})[0]
		}
	}
}

func (p *packer) addTexts(list []string) []string {
	list = p.values.add(list...)
	for i, s := range list {
		list[i] = p.texts.Put(s)
	}
	return list
}

func (p *packer) addNeedles(list []needle) []needle {
	list = p.needles.add(list...)
	for i := range list {
		list[i].text = p.bytes.add(list[i].text...)
	}
	return list
}
