package cond_test

import (
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

// TestListsMatchAsTheirConditions holds that a list matches as its logic puts its conditions together, that Explain tells
// the same, and that no screen refuses what matches.
func TestListsMatchAsTheirConditions(t *testing.T) {
	t.Parallel()
	refused := 0
	rapid.Check(t, func(rt *rapid.T) {
		f := &cond.Facts{}
		for _, name := range []string{"country", "city", "user_agent", "browser_version", "ip", "asn", "is_bot", "sub1"} {
			f.Assign(name, rapid.SampledFrom([]string{
				"", "DE", "Berlin", "berlın", "SS", "131.0", "131", "true", "192.0.2.7", "ä", "X,Y",
			}).Draw(rt, name))
		}
		f.SetSource(named{"a": "de", "X-B": "Berlin"})
		compile := func(logic string, list ...cond.Condition) *cond.Matcher {
			m, err := cond.Compile(list, logic)
			if err != nil {
				rt.Fatal(err)
			}
			return m
		}
		var list []cond.Condition
		all, some := true, false
		for range rapid.IntRange(1, 4).Draw(rt, "conditions") {
			c := genCondition(rt)
			if cond.Validate(c) != nil {
				continue
			}
			list = append(list, c)
			held := compile("and", c).Match(f)
			all, some = all && held, some || held
		}
		some = some || len(list) == 0
		for logic, want := range map[string]bool{"and": all, "or": some} {
			m := compile(logic, list...)
			if told, _ := m.Explain(f); m.Match(f) != want || told != want || cond.Shared(m).Match(f) != want {
				rt.Fatalf("%s matches %v, explained as %v, want %v", logic, m.Match(f), told, want)
			}
			var screen cond.Screen
			screen.Add(nil, logic == "or")
			screen.Add([]*cond.Matcher{m}, false)
			screen.Add([]*cond.Matcher{m, compile("and")}, true)
			if screen.Refuses(0, f) || screen.Refuses(1, f) && want || screen.Refuses(2, f) {
				rt.Fatal("the screen refuses what matches")
			}
			if screen.Refuses(1, f) {
				refused++
			}
			if m.DropSource(); m.Match(f) != want {
				rt.Fatalf("%s matches %v without its source, want %v", logic, !want, want)
			}
		}
	})
	if refused == 0 {
		t.Error("the screen refuses nobody")
	}
}

// A screen sees a value that changed after it was asked.
func TestScreenSeesTheValueOfNow(t *testing.T) {
	t.Parallel()
	m, err := cond.Compile([]cond.Condition{{Attribute: "country", Operator: "in", Value: []any{"DE", "FR"}}}, "and")
	if err != nil {
		t.Fatal(err)
	}
	var screen cond.Screen
	screen.Add([]*cond.Matcher{m}, false)
	f := &cond.Facts{}
	for _, step := range []struct {
		country string
		refused bool
	}{{"", true}, {"US", true}, {"de", false}, {"us", true}, {"FR", false}, {"", true}} {
		f.Assign("country", step.country)
		if got := screen.Refuses(0, f); got != step.refused {
			t.Errorf("%q: refused %v, want %v", step.country, got, step.refused)
		}
	}
}

type named map[string]string

func (n named) Param(name string) string  { return n[name] }
func (n named) Header(name string) string { return n[name] }
