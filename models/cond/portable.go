package cond

import (
	"math"
	"regexp/syntax"
)

// Portable is the compiled conditions for another program: see ops/deploy/edge.
type Portable struct {
	Or    bool                `json:"or,omitempty"`
	Never bool                `json:"never,omitempty"`
	All   []PortableCondition `json:"all,omitempty"`
}

// PortableCondition is one condition. Test says how the attribute is compared, and which other fields are used:
//
//	equals, contains, starts_with, ends_with   Texts, already folded by Fold, so that case does not count
//	number                                     Ranges
//	in_cidr                                    Networks, from and to
//	schedule                                   Slots: a mask of days (bit 1 is Monday), from and to in minutes
//	is_set                                     Want
//	origin                                     no field: only this program can compare
type PortableCondition struct {
	Attribute string          `json:"a"`
	Param     string          `json:"param,omitempty"` // the <name> of param.<name>
	Negate    bool            `json:"not,omitempty"`
	Test      string          `json:"test"`
	Texts     []string        `json:"texts,omitempty"`
	Ranges    []PortableRange `json:"ranges,omitempty"`
	Networks  [][2]string     `json:"networks,omitempty"`
	Slots     [][3]int        `json:"slots,omitempty"`
	Want      bool            `json:"want,omitempty"`
}

// PortableRange is the range from Low to High. A null bound means no limit. Open excludes both ends.
type PortableRange struct {
	Low  *float64 `json:"lo"`
	High *float64 `json:"hi"`
	Open bool     `json:"open,omitempty"`
}

// OriginOnly is the Test of a condition that only this program can compare.
const OriginOnly = "origin"

// Portable returns the conditions in portable form. known reports whether the other program knows an attribute. After
// DiscardConditions, a condition that searches for texts becomes OriginOnly.
func (m *Matcher) Portable(known func(attribute string) bool) Portable {
	m = m.current()
	out := Portable{Or: m.or, Never: m.never}
	for i := range m.list {
		c := &m.list[i]
		p := PortableCondition{Attribute: c.attr.String(), Negate: c.negate, Test: OriginOnly}
		switch {
		case c.attr == attrParam:
			p.Attribute, p.Param = "param", c.arg
			m.setTest(i, &p)
		case c.attr == attrHeader:
			p.Attribute = "header"
		case known(p.Attribute):
			m.setTest(i, &p)
		}
		out.All = append(out.All, p)
	}
	return out
}

// setTest sets how condition i compares. Without a portable form it stays OriginOnly.
func (m *Matcher) setTest(i int, p *PortableCondition) {
	c := &m.list[i]
	switch t := c.test.(type) {
	case nil:
		p.Test, p.Want = "is_set", c.want
	case equalTest:
		p.Test = "equals"
		for _, v := range t {
			p.Texts = append(p.Texts, string(v))
		}
	case *edgeTest:
		p.Test = "starts_with"
		if t.ends {
			p.Test = "ends_with"
		}
		for _, v := range t.values {
			p.Texts = append(p.Texts, string(v))
		}
	case *containsTest:
		p.setContained(m.originalValues(i))
	case *regexTest:
		if len(t.patterns) == 0 {
			p.setContained(choiceTexts(m.originalValues(i)))
		}
	case numberTest:
		p.Test = "number"
		for _, r := range t {
			p.Ranges = append(p.Ranges, PortableRange{finite(r.lo), finite(r.hi), r.open})
		}
	case addrTest:
		p.Test = "in_cidr"
		for _, r := range t.set.Ranges() {
			p.Networks = append(p.Networks, [2]string{r.From().String(), r.To().String()})
		}
	case scheduleTest:
		p.Test = "schedule"
		for _, s := range t {
			p.Slots = append(p.Slots, [3]int{int(s.days), s.from, s.to})
		}
	}
}

// setContained makes the condition search for texts, ignoring case. Without texts it stays OriginOnly.
func (p *PortableCondition) setContained(texts []string) {
	for _, v := range foldAll(texts) {
		p.Test, p.Texts = "contains", append(p.Texts, string(v))
	}
}

// originalValues returns the values of condition i, or nil after DiscardConditions.
func (m *Matcher) originalValues(i int) []string {
	if m.conditions == nil {
		return nil
	}
	values, _ := items(m.conditions[i].Value) // the values were valid when the condition was compiled
	return values
}

// choiceTexts returns the texts of patterns, or nil if one of them is not a choice of texts.
func choiceTexts(patterns []string) (texts []string) {
	for _, s := range patterns {
		tree, err := syntax.Parse(s, syntax.Perl|syntax.FoldCase)
		if err != nil {
			return nil
		}
		found, ok := choices(tree)
		if !ok {
			return nil
		}
		texts = append(texts, found...)
	}
	return texts
}

func finite(n float64) *float64 {
	if math.IsInf(n, 0) {
		return nil
	}
	return &n
}
