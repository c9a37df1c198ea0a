package cond_test

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"switchyard/models/cond"
)

// genCondition generates a condition with a random attribute, operator and list of values.
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

// TestListsMatchAsTheirConditions checks that the result of a list follows from its conditions, also in Explain, and that no
// screen refuses a visitor that matches.
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
		allMatch, anyMatches := true, false
		for range rapid.IntRange(1, 4).Draw(rt, "conditions") {
			c := genCondition(rt)
			if cond.Validate(c) != nil {
				continue
			}
			list = append(list, c)
			matched := compile("and", c).Match(f)
			allMatch, anyMatches = allMatch && matched, anyMatches || matched
		}
		anyMatches = anyMatches || len(list) == 0
		for logic, want := range map[string]bool{"and": allMatch, "or": anyMatches} {
			m := compile(logic, list...)
			if explained, _ := m.Explain(f); m.Match(f) != want || explained != want || cond.NewShared(m).Match(f) != want {
				rt.Fatalf("%s matches %v, explained as %v, want %v", logic, m.Match(f), explained, want)
			}
			var screen cond.Screen
			screen.Add(nil, logic == "or")
			screen.Add([]*cond.Matcher{m}, false)
			screen.Add([]*cond.Matcher{m, compile("and")}, true)
			if screen.Refuses(0, f) || screen.Refuses(1, f) && want || screen.Refuses(2, f) {
				rt.Fatal("the screen refuses a visitor that matches")
			}
			if screen.Refuses(1, f) {
				refused++
			}
			if m.DiscardConditions(); m.Match(f) != want {
				rt.Fatalf("after DiscardConditions, the list with the logic %q matches: %v, want %v", logic, !want, want)
			}
		}
	})
	if refused == 0 {
		t.Error("the screen refused no visitor in any run")
	}
}

// TestLongListsMatchAsTheirValues checks that a list of any length matches like its values one after another. The words have few
// different letters, so that many begin alike or overlap.
func TestLongListsMatchAsTheirValues(t *testing.T) {
	t.Parallel()
	matched, lists := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		operator := rapid.SampledFrom([]string{"contains", "not_contains", "starts_with", "ends_with", "regex"}).Draw(rt, "operator")
		letters := []rune(rapid.SampledFrom([]string{"aB", "abéÉ", "abcß0", "aAsSſKk ", string(rune(0x212a)) + "k."}).Draw(rt, "letters"))
		least, common := rapid.IntRange(1, 9).Draw(rt, "least"), rapid.SampledFrom([]string{"", "ab", "abaab"}).Draw(rt, "common")
		word := func(least, most int) string {
			out := make([]rune, least+r.IntN(most-least+1))
			for i := range out {
				out[i] = letters[r.IntN(len(letters))]
			}
			return string(out)
		}
		text := common + word(20, 60)
		match := func(values ...any) bool {
			return matches(rt, cond.Condition{Attribute: "url", Operator: operator, Value: values}, text)
		}
		var values []any
		negated := operator == "not_contains"
		want := negated
		inner := r.IntN(3) == 0 // a piece of the text, and longer values that contain it but end differently
		for range rapid.SampledFrom([]int{1, 16, 17, 40, cond.MaxItems}).Draw(rt, "n") {
			v := "x" + common + word(least, least+4)
			v = v[r.IntN(2):]
			switch runes := []rune(text); {
			case operator == "ends_with":
				v = word(least, least+4) + common
			case inner && len(values) == 0:
				v = string(runes[12 : 13+r.IntN(2)])
			case inner && len(values) < 9:
				v = string(runes[12-len(values):16]) + "~"
			}
			if v = strings.TrimSpace(v); v == "" {
				continue
			}
			if operator == "regex" {
				v = regexp.QuoteMeta(v)
			}
			if values = append(values, v); match(v) != negated {
				want = !negated
			}
		}
		if got := len(values) > 0 && match(values...); len(values) > 0 && got != want {
			rt.Fatalf("%s %q in %q: %v, want %v", operator, values, text, got, want)
		}
		if len(values) > 16 {
			lists++
			matched += map[bool]int{true: 1}[want != negated]
		}
	})
	if matched < lists/5 || matched > lists*4/5 {
		t.Errorf("%d of %d long lists matched, want a fifth to four fifths of them", matched, lists)
	}
}

func matches(t *rapid.T, c cond.Condition, value string) bool {
	m, err := cond.Compile([]cond.Condition{c}, "")
	if err != nil {
		t.Fatal(err)
	}
	f := &cond.Facts{}
	f.Assign(c.Attribute, value)
	return m.Match(f)
}

// TestVersionListsMatchAsTheirValues checks that a list of versions matches like its versions one after another.
func TestVersionListsMatchAsTheirValues(t *testing.T) {
	t.Parallel()
	version := rapid.StringMatching(`[0-2](\.[0-2]){0,2}[a-]?`)
	rapid.Check(t, func(rt *rapid.T) {
		c := cond.Condition{
			Attribute: "browser_version",
			Operator:  rapid.SampledFrom([]string{"equals", "not_equals", "gt", "gte", "lt", "lte"}).Draw(rt, "operator"),
		}
		negated := c.Operator == "not_equals"
		value, want := version, negated
		if strings.HasSuffix(c.Operator, "equals") {
			value = rapid.OneOf(version, rapid.SampledFrom([]string{"XP", "Vista"}))
		}
		seen := rapid.OneOf(version, rapid.SampledFrom([]string{"xp", "ME"})).Draw(rt, "seen")
		var values []any
		for _, v := range rapid.SliceOfN(value, 1, 30).Draw(rt, "values") {
			values = append(values, v)
			if c.Value = v; matches(rt, c, seen) != negated {
				want = !negated
			}
		}
		if c.Value = values; matches(rt, c, seen) != want {
			rt.Fatalf("%s %v matches the version %q: %v, want %v", c.Operator, values, seen, !want, want)
		}
	})
}

// BenchmarkLongLists compares a search in one long list with searches in short lists of the same values.
func BenchmarkLongLists(b *testing.B) {
	agent := "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36"
	bot := func(i int) string {
		return string(rune('a'+i*7%26)) + string(rune('a'+i*11%26)) + "bot" + strconv.Itoa(i)
	}
	for _, bb := range []struct {
		name, operator, text string
		value                func(i int) string
	}{
		{"agent", "not_contains", agent, bot},
		{"url", "not_contains", "https://x.example/page?gclid=" + strings.Repeat("Aabz9Kq", 40), bot},
		{"alike", "not_contains", strings.Repeat("a", 512), func(i int) string { return strings.Repeat("a", 7+i%10) + strconv.Itoa(100+i) }},
		{"begin", "starts_with", agent, func(i int) string { return "Mozilla/5.0 (" + bot(i) }},
		{"end", "ends_with", agent, func(i int) string { return bot(i) + " Safari/537.36" }},
	} {
		for _, n := range []int{17, 50, cond.MaxItems} {
			var allValues, part []any
			var parts []cond.Condition
			for i := range n {
				v := bb.value(i)
				allValues = append(allValues, v)
				if part = append(part, v); len(part) == 16 || i == n-1 {
					parts, part = append(parts, cond.Condition{Attribute: "url", Operator: bb.operator, Value: part}), nil
				}
			}
			logic := map[bool]string{true: "and", false: "or"}[bb.operator == "not_contains"]
			for how, list := range map[string][]cond.Condition{
				"set": {{Attribute: "url", Operator: bb.operator, Value: allValues}}, "each": parts,
			} {
				m, err := cond.Compile(list, logic)
				if err != nil {
					b.Fatal(err)
				}
				f := &cond.Facts{}
				b.Run(bb.name+"/"+strconv.Itoa(n)+"/"+how, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						f.Reset()
						f.SetText(cond.URL, bb.text)
						m.Match(f)
					}
				})
			}
		}
	}
}

// TestScreenSeesTheValueOfNow checks that a screen uses the current value of an attribute.
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
