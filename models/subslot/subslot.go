// Package subslot decides which parameter of a traffic source fills which sub-parameter of its clicks.
//
// Reports, conditions of flows, bot lists and rules name sub1, not zoneid. So the position of a parameter in the link cannot
// decide: if zoneid were removed, the next parameter would become sub1, and all of these would change their meaning. Each source
// therefore stores its SubSlots, and these rules apply:
//
//   - A new source assigns sub-parameters in the order of token_macros. A parameter with a name such as sub3 or t3 gets the
//     third.
//   - A parameter of a source in use keeps its sub-parameter, wherever it stands in token_macros.
//   - The sub-parameter of a removed parameter stays reserved. New clicks leave it empty, and reports still show its name.
//   - A new parameter with the same macro as a removed parameter counts as the removed parameter under a new name, and takes its
//     sub-parameter.
//   - A new parameter with a name such as sub3 takes the third sub-parameter, even if it is reserved for a removed parameter.
//   - Any other new parameter takes the first sub-parameter that is not reserved. If all are reserved, it fills none.
//   - A client can send the list subs, which moves and frees sub-parameters.
//
// A source is in use once a campaign, a smartlink or a click names it.
package subslot

import (
	"slices"
	"strings"
	"unicode"

	"switchyard/models"
	"switchyard/models/token"
)

// A slot without a parameter is free.
type slot struct {
	models.SubSlot
	filled bool // the parameter is in the link
}

type slots [models.Subs]slot

// Filled returns the sub-parameters that clicks of a source fill, by number.
func Filled(l models.SourceLink) models.SubSlots {
	all := assign(l, l.Subs, named(l))
	return all.list(func(i int) bool { return all[i].filled })
}

// Reserved returns the sub-parameters that clicks of a source fill or that are reserved for removed parameters, by
// number.
func Reserved(l models.SourceLink) models.SubSlots {
	all := assign(l, l.Subs, named(l))
	return all.list(func(i int) bool { return all[i].Param != "" })
}

func (s *slots) list(match func(i int) bool) models.SubSlots {
	out := models.SubSlots{}
	for i := range s {
		if match(i) {
			out = append(out, s[i].SubSlot)
		}
	}
	return out
}

// Assign completes the sub-parameters of a source before it is saved. old is the source before the change, and empty for a new one.
func Assign(l *models.SourceLink, old models.SourceLink, inUse bool) {
	before, reserved := Reserved(old), l.Subs
	if reserved == nil && inUse {
		reserved = renamed(before, old, *l)
	}
	isSent := l.Subs != nil
	all := assign(*l, reserved, models.Subs)
	for i := range all {
		s := &all[i]
		at := slices.IndexFunc(before, func(o models.SubSlot) bool { return strings.EqualFold(o.Param, s.Param) })
		if s.Name != "" || at < 0 {
			continue
		}
		if !isSent {
			s.Name = before[at].Name
		}
		if !s.filled && Meant(s.Param) > 0 { // the macro that gave the sub-parameter its name is no longer in the link
			s.Name = nameOf(before[at], old)
		}
	}
	l.Subs = all.list(func(i int) bool { return all[i].Param != "" })
}

func renamed(before models.SubSlots, old, l models.SourceLink) models.SubSlots {
	after := slices.Clone(before)
	for i, s := range after {
		macro := MacroOf(old, s.Param)
		if macro == "" || has(l.TokenMacros, s.Param) {
			continue
		}
		for _, m := range l.TokenMacros {
			isNew := !slices.ContainsFunc(after, func(o models.SubSlot) bool { return strings.EqualFold(o.Param, m.Param) })
			if m.Macro == macro && isNew {
				after[i].Param = m.Param
				break
			}
		}
	}
	return after
}

// named returns the highest number n for which a parameter with the name subn (such as sub3) takes the sub-parameter n. A source
// without stored sub-parameters was made when there were only EarlySubs sub-parameters. A name such as sub11 had no
// special meaning then.
func named(l models.SourceLink) int {
	if len(l.Subs) == 0 {
		return models.EarlySubs
	}
	return models.Subs
}

// A name such as sub3 has its special meaning only if its number is at most the argument named. The parameters of the cost and of
// the source's click id get no sub-parameter, because they have a meaning of their own.
func assign(l models.SourceLink, reserved models.SubSlots, named int) *slots {
	var all slots
	for _, s := range reserved {
		if s.Sub >= 1 && s.Sub <= models.Subs {
			all[s.Sub-1].SubSlot = s
		}
	}
	var unplaced, rest []string
	for _, m := range l.TokenMacros {
		if m.Param == "" || strings.EqualFold(m.Param, l.CostParam) || strings.EqualFold(m.Param, l.ExternalIDParam) {
			continue
		}
		own := func(s slot) bool { return !s.filled && strings.EqualFold(s.Param, m.Param) }
		if i := slices.IndexFunc(all[:], own); i >= 0 {
			all[i].filled = true
			continue
		}
		unplaced = append(unplaced, m.Param)
	}
	for _, param := range unplaced {
		// param takes sub-parameter n even if a removed parameter has it, because a parameter with param's name fills
		// sub-parameter n at every source.
		if n := Meant(param); n >= 1 && n <= named && !all[n-1].filled {
			all.fill(n-1, param)
			continue
		}
		rest = append(rest, param)
	}
	for i := range all {
		if all[i].Param == "" && len(rest) > 0 {
			all.fill(i, rest[0])
			rest = rest[1:]
		}
	}
	return &all
}

func (s *slots) fill(i int, param string) {
	s[i].SubSlot, s[i].filled = models.SubSlot{Sub: i + 1, Param: param}, true
}

// Meant returns the number of the sub-parameter that a parameter such as sub3 or t3 fills at every source, or 0.
func Meant(param string) int {
	if t, ok := token.Lookup(param); ok && t.Name == token.Sub {
		return t.N
	}
	return 0
}

// MacroOf returns the macro of a parameter, or an empty text.
func MacroOf(l models.SourceLink, param string) string {
	for _, m := range l.TokenMacros {
		if strings.EqualFold(m.Param, param) {
			return m.Macro
		}
	}
	return ""
}

func has(list models.TokenMacros, param string) bool {
	return slices.ContainsFunc(list, func(m models.TokenMacro) bool { return strings.EqualFold(m.Param, param) })
}

// Names returns the names of a source's sub-parameters for people, with the keys sub1, sub2 and so on. The account's own name
// comes first, then the parameter. A parameter such as sub1 or t1 says nothing to people, so its macro is the name instead. A
// sub-parameter without a name is left out.
func Names(l models.SourceLink) map[string]string {
	names := map[string]string{}
	for _, s := range Reserved(l) {
		if name := nameOf(s, l); name != "" {
			names[models.SubKeys[s.Sub-1]] = name
		}
	}
	return names
}

func nameOf(s models.SubSlot, l models.SourceLink) string {
	switch {
	case s.Name != "":
		return s.Name
	case Meant(s.Param) == 0:
		return s.Param
	}
	notWord := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.TrimFunc(MacroOf(l, s.Param), notWord)
}

// Common returns the names on which several sources agree. A source that has not reserved a sub-parameter, or has no name
// for it, does not count for this sub-parameter.
func Common(sources []models.SourceLink) map[string]string {
	names, open := map[string]string{}, map[string]bool{}
	for _, l := range sources {
		own := Names(l)
		for _, s := range Reserved(l) {
			k := models.SubKeys[s.Sub-1]
			switch name := names[k]; {
			case own[k] == "":
			case name == "":
				names[k] = own[k]
			case !strings.EqualFold(name, own[k]):
				open[k] = true
			}
		}
	}
	for k := range open {
		delete(names, k)
	}
	return names
}

// Check refuses a list in which two entries have the same sub-parameter or the same parameter. It also refuses a list in which a
// parameter with a name such as sub3 fills another sub-parameter, unless another entry of the list has the third sub-parameter.
// Parameters with names from sub11 on may fill any sub-parameter, as they did while there were only ten.
func Check(list models.SubSlots) error {
	for i, s := range list {
		for _, o := range list[:i] {
			if o.Sub == s.Sub || strings.EqualFold(o.Param, s.Param) {
				return models.Invalid("invalid_value", "subs has sub%d or the parameter %.100q twice", s.Sub, s.Param)
			}
		}
		n := Meant(s.Param)
		if n != 0 && n <= models.EarlySubs && n != s.Sub && !slices.ContainsFunc(list, func(o models.SubSlot) bool { return o.Sub == n }) {
			return models.Invalid("invalid_value", "subs: a parameter with the name %s fills sub%d at every source", s.Param, n)
		}
	}
	return nil
}
