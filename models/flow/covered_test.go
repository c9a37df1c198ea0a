package flow_test

import (
	"testing"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

// TestCovered checks that a path is covered if an earlier path takes all of its visitors. edit.test.ts of the dashboard has almost
// the same cases.
func TestCovered(t *testing.T) {
	t.Parallel()
	path := func(changes ...func(*flow.Path)) flow.Path {
		p := flow.NewPath()
		p.Action, p.Destinations = flow.ActionOffer, []flow.Destination{{URL: "https://a.example/", Weight: 100}}
		for _, change := range changes {
			change(&p)
		}
		return p
	}
	only := func(country string) func(*flow.Path) {
		return func(p *flow.Path) {
			p.Filters = []cond.Condition{{Attribute: "country", Operator: "equals", Value: country}}
		}
	}
	kind := func(streamType string) func(*flow.Path) { return func(p *flow.Path) { p.StreamType = streamType } }
	group := func(p *flow.Path) { p.RuleGroup = 2 }
	weight := func(w float64) func(*flow.Path) { return func(p *flow.Path) { p.Weight = w } }
	off := func(p *flow.Path) { p.IsActive = false }
	capped := func(p *flow.Path) { n := 5; p.DailyCap = &n }
	empty := func(p *flow.Path) { p.Destinations = nil }
	for name, c := range map[string]struct {
		first, second flow.Path
		rotation      flow.Rotation
		covered       bool
	}{
		"everybody":             {path(), path(only("DE")), flow.ByPosition, true},
		"a default path after":  {path(), path(kind(flow.Default)), flow.ByPosition, true},
		"the same conditions":   {path(only("DE")), path(only("DE")), flow.ByPosition, true},
		"forced":                {path(kind(flow.Forced)), path(only("DE")), flow.ByPosition, true},
		"forced, by weight":     {path(kind(flow.Forced)), path(only("DE")), flow.ByWeight, true},
		"by weight, default":    {path(), path(kind(flow.Default)), flow.ByWeight, true},
		"a default path before": {path(kind(flow.Default)), path(only("DE")), flow.ByPosition, false},
		"switched off":          {path(off), path(only("DE")), flow.ByPosition, false},
		"capped":                {path(capped), path(only("DE")), flow.ByPosition, false},
		"no destination":        {path(empty), path(only("DE")), flow.ByPosition, false},
		"other conditions":      {path(only("AT")), path(only("DE")), flow.ByPosition, false},
		"the second path off":   {path(), path(only("DE"), off), flow.ByPosition, false},
		"drawn by weight":       {path(), path(only("DE")), flow.ByWeight, false},
		"one group":             {path(group), path(only("DE"), group), flow.ByPosition, false},
		"a later group":         {path(group), path(only("DE")), flow.ByPosition, false},
		"weight 0":              {path(weight(0)), path(only("DE")), flow.ByPosition, false},
		"weight 0, forced":      {path(kind(flow.Forced), weight(0)), path(only("DE")), flow.ByPosition, true},
	} {
		if got := len(flow.Covered([]flow.Path{c.first, c.second}, c.rotation)) == 1; got != c.covered {
			t.Errorf("%s: the second path is covered: %t, want %t", name, got, c.covered)
		}
	}
}
