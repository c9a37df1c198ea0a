package cond_test

import (
	"sync"
	"testing"

	"switchyard/models/cond"
)

func TestSharedMatcherFollowsSet(t *testing.T) {
	t.Parallel()
	compile := func(attribute string, value any) *cond.Matcher {
		m, err := cond.Compile([]cond.Condition{{Attribute: attribute, Operator: "equals", Value: value}}, "and")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	facts := &cond.Facts{}
	facts.SetText(cond.Named("country"), "DE")
	facts.SetBool(cond.IsUnique, true)
	german, austrian, unique := compile("country", "DE"), compile("country", "AT"), compile("is_unique", true)
	shared := cond.NewShared(german)
	const matches, usesUnique = true, true
	check := func(want, uses bool) {
		t.Helper()
		explained, findings := shared.Explain(facts)
		if shared.Match(facts) != want || explained != want || shared.Uses(cond.IsUnique) != uses ||
			len(findings) != shared.Len() {
			t.Errorf("Match is %v, Explain is %v with %d findings, Uses is %v, want %v, %v, %d and %v", shared.Match(facts), explained, len(findings),
				shared.Uses(cond.IsUnique), want, want, shared.Len(), uses)
		}
	}
	check(matches, !usesUnique)
	shared.Set(austrian)
	check(!matches, !usesUnique)
	shared.Set(unique)
	check(matches, usesUnique)
	shared.Set(cond.Never)
	check(!matches, !usesUnique)
	shared.Set(cond.NewShared(german)) // shared now stands for german itself, not for the new shared matcher
	check(matches, !usesUnique)

	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			f := &cond.Facts{}
			f.SetText(cond.Named("country"), "DE")
			for range 1000 {
				shared.Match(f)
			}
		})
	}
	for i := range 1000 {
		shared.Set([]*cond.Matcher{german, austrian}[i%2])
	}
	all.Wait()
}
