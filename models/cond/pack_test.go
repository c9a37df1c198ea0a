package cond_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"switchyard/models/cond"
)

// genCondition draws conditions of every way to compare, with values that are met often and such that are not.
func genCondition(t *rapid.T) cond.Condition {
	c := cond.Condition{Attribute: rapid.SampledFrom([]string{
		"country", "city", "user_agent", "browser_version", "ip", "asn", "is_bot", "param.a", "header.x-b", "sub1",
	}).Draw(t, "attribute")}
	c.Operator = rapid.SampledFrom([]string{
		"equals", "in", "not_in", "contains", "not_contains", "starts_with", "ends_with", "regex", "gt", "lte", "between",
		"is_set", "in_cidr",
	}).Draw(t, "operator")
	var list []any
	for range rapid.IntRange(1, 30).Draw(t, "values") {
		list = append(list, rapid.SampledFrom([]string{
			"DE", "de", "Berlin", "BERLİN", "ß", "131", "131.0.6778", "99", "true", "192.0.2.0/24", "192.0.2.7", "a", "Ä", "x,y", "1,200",
		}).Draw(t, "value"))
	}
	c.Value = list
	return c
}

// TestPackedMatchersMatchAsBefore holds that packing changes no answer, and that a screen refuses nothing that matches.
func TestPackedMatchersMatchAsBefore(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		var loose []*cond.Matcher
		for range rapid.IntRange(1, 4).Draw(rt, "matchers") {
			var list []cond.Condition
			for range rapid.IntRange(0, 3).Draw(rt, "conditions") {
				if c := genCondition(rt); cond.Validate(c) == nil {
					list = append(list, c)
				}
			}
			m, err := cond.Compile(list, rapid.SampledFrom([]string{"and", "or"}).Draw(rt, "logic"))
			if err != nil {
				rt.Fatal(err)
			}
			if rapid.IntRange(0, 5).Draw(rt, "shared") == 0 {
				m = cond.Shared(m)
			}
			loose = append(loose, m)
		}
		packed := cond.Pack(loose)
		or := rapid.Bool().Draw(rt, "or")
		var screen cond.Screen
		screen.Add(nil, false)
		screen.Add(packed, or)
		f := &cond.Facts{}
		for _, name := range []string{"country", "city", "user_agent", "browser_version", "ip", "asn", "is_bot", "sub1"} {
			f.Assign(name, rapid.SampledFrom([]string{
				"", "DE", "Berlin", "berlın", "SS", "131.0", "131", "true", "192.0.2.7", "ä", "X,Y",
			}).Draw(rt, name))
		}
		f.SetSource(named{"a": "de", "X-B": "Berlin"})
		all, some := true, len(loose) == 0
		for i, m := range loose {
			held := m.Match(f)
			if again := packed[i].Match(f); again != held {
				rt.Fatalf("matcher %d: %v, packed %v", i, held, again)
			}
			if told, _ := m.Explain(f); told != held {
				rt.Fatalf("matcher %d: %v, explained %v", i, held, told)
			}
			all, some = all && held, some || held
		}
		matched := or && some || !or && all
		refused := screen.Refuses(1, f)
		if refused && matched || screen.Refuses(0, f) {
			rt.Fatal("the screen refuses what matches")
		}
		seen[fmt.Sprint(refused, matched)]++
	})
	for _, outcome := range []string{"true false", "false false", "false true"} {
		if seen[outcome] == 0 {
			t.Errorf("refused and matched: %v", seen)
		}
	}
}

type named map[string]string

func (n named) Param(name string) string  { return n[name] }
func (n named) Header(name string) string { return n[name] }
