package flow_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

func genFlow(t *rapid.T) []flow.Path {
	conditions := []cond.Condition{
		{Attribute: "country", Operator: "equals", Value: "DE"},
		{Attribute: "country", Operator: "not_in", Value: []any{"DE"}},
		{Attribute: "browser_version", Operator: "gte", Value: "100"},
		{Attribute: "region", Operator: "regex", Value: "b"},
	}
	fewConditions := rapid.SliceOfN(rapid.SampledFrom(conditions), 0, 3)
	paths := make([]flow.Path, rapid.IntRange(1, 8).Draw(t, "paths"))
	for i := range paths {
		p := flow.NewPath()
		p.StreamType = rapid.SampledFrom([]string{flow.Regular, flow.Regular, flow.Forced, flow.Default}).Draw(t, "type")
		p.Action = rapid.SampledFrom([]string{
			flow.ActionLander, flow.ActionOffer, flow.ActionRedirect,
			flow.ActionCampaign, flow.ActionNothing,
		}).Draw(t, "action")
		p.RuleGroup = rapid.IntRange(0, 3).Draw(t, "group")
		p.Weight = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
		p.IsActive = rapid.IntRange(0, 4).Draw(t, "active") > 0
		p.Logic = rapid.SampledFrom([]string{"and", "or"}).Draw(t, "logic")
		p.Filters = fewConditions.Draw(t, "filters")
		p.CampaignID = id(21).String()
		if c := fewConditions.Draw(t, "rule"); len(c) > 0 {
			p.Rules = append(p.Rules, flow.RuleRef{Conditions: c}, flow.RuleRef{RuleID: id(31).String()})
		}
		for range rapid.IntRange(0, 4).Draw(t, "destinations") {
			d := flow.Destination{
				ID:     id(rapid.IntRange(1, 4).Draw(t, "offer")).String(),
				Weight: float64(rapid.IntRange(0, 2).Draw(t, "share")), Slot: rapid.IntRange(0, 2).Draw(t, "slot"),
			}
			if p.Action == flow.ActionLander && rapid.Bool().Draw(t, "lander") {
				d.ID = id(rapid.IntRange(11, 14).Draw(t, "lander id")).String()
			}
			p.Destinations = append(p.Destinations, d)
		}
		paths[i] = p
	}
	return flow.Normalize(paths)
}

// TestProperties checks random flows and visitors. No visitor is sent to an unusable destination, the trace gives the same
// result, and a bound visitor gets the same path, lander and offer again.
func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a := newAccount(t)
		paths := genFlow(rt)
		if flow.Validate(paths, a.known) != nil {
			return
		}
		for n := 1; n <= 4; n++ {
			a.refs[id(n)].SetPaused(rapid.Bool().Draw(rt, "paused"))
			a.refs[id(10+n)].SetCapped(rapid.Bool().Draw(rt, "capped"))
		}
		o := a.options()
		o.Rotation = rapid.SampledFrom([]flow.Rotation{flow.ByPosition, flow.ByWeight}).Draw(rt, "rotation")
		o.Bind = flow.BindStreamsLandersOffers
		p, err := flow.Compile(paths, o)
		if err != nil {
			rt.Fatal(err)
		}
		v := visitor(rapid.SampledFrom([]string{"DE", "US", ""}).Draw(rt, "country"))
		seed := rapid.Uint64().Draw(rt, "seed")
		d := p.Pick(v, flow.Env{}, seed)
		o.Explained = true
		explained, err := flow.Compile(paths, o)
		if err != nil {
			rt.Fatal(err)
		}
		if e := explained.Pick(v, flow.Env{Trace: &flow.Trace{}}, seed); e.Via != d.Via || pathOf(e) != pathOf(d) || e.Lander != d.Lander ||
			e.Offer != d.Offer {
			rt.Fatalf("without a trace the visitor is sent to %s, with a trace to %s", pathOf(d), pathOf(e))
		}
		if d.Route == nil {
			return
		}
		if path := paths[d.Route.Index]; !path.IsActive || path.ID != d.Route.ID.String() ||
			d.Via == flow.ViaRegular && path.Weight == 0 {
			rt.Fatalf("the decision is for a path that is switched off, has another id or has the weight 0: %+v", path)
		}
		for _, ref := range []*flow.Ref{d.Lander, d.Offer} {
			if ref != nil && !ref.Open() {
				rt.Fatal("a visitor was sent to an unusable destination")
			}
		}
		leads := d.Lander != nil || d.Offer != nil || d.URL != nil
		if wantsDestination := d.Action() != flow.ActionNothing && d.Action() != flow.ActionCampaign; wantsDestination != leads {
			rt.Fatalf("the action %s has no destination although it needs one, or has one although it needs none", d.Action())
		}
		v.Bound.Path = d.Route.ID
		if d.Lander != nil {
			v.Bound.Lander = d.Lander.ID
			if offer, _, ok := p.PickOffer(d.Route, 1, uuid.Nil, seed); ok {
				if repeated, _, _ := p.PickOffer(d.Route, 1, offer.ID, seed+1); !offer.Open() || repeated != offer {
					rt.Fatal("a second click on the lander got another offer, or the offer is not usable")
				}
			}
		}
		if d.Offer != nil {
			v.Bound.Offer = d.Offer.ID
		}
		for i := range uint64(5) {
			repeated := p.Pick(v, flow.Env{}, seed+i*977)
			if repeated.Route != d.Route || repeated.Lander != d.Lander || repeated.Offer != d.Offer {
				rt.Fatalf("a visitor bound to %s was sent to %s, or got another lander or offer", pathOf(d), pathOf(repeated))
			}
		}
	})
}

// FuzzFlow checks that no JSON makes Parse or Validate panic. An accepted flow can be compiled and can route visitors. The error
// for any other flow has a code for the client.
func FuzzFlow(f *testing.F) {
	f.Add(withIDs(`[{"action":"offer","destinations":[{"id":"<1>","weight":2}],"rules":[{"rule_id":"<31>"}]}]`),
		"DE", uint64(1))
	f.Add(withIDs(`[{"action":"lander","stream_type":"default","logic":"or",
		"destinations":[{"id":"<11>"},{"url":"http://a.b/{sub1}","slot":3}],
		"filters":[{"attribute":"country","operator":"regex","value":["d","e+"]}]}]`), "US", uint64(2))
	f.Add(withIDs(`[{"action":"nothing","rule_group":5,"weight":0.5,"response":{"status":200,"body":"x"}},
		{"action":"campaign","campaign_id":"<21>","daily_cap":3,"transition":301}]`), "", uint64(3))
	f.Fuzz(func(t *testing.T, text, country string, seed uint64) {
		a := newAccount(t)
		if codeOf(t, text) != "" {
			return
		}
		for _, rotation := range []flow.Rotation{flow.ByPosition, flow.ByWeight} {
			p := a.plan(t, text, func(o *flow.Options) { o.Rotation, o.Bind = rotation, flow.BindStreams })
			v := visitor(country)
			d := p.Pick(v, flow.Env{}, seed)
			if d.Route != nil {
				p.PickOffer(d.Route, int(seed%25), uuid.Nil, seed)
				v.Bound.Path = d.Route.ID
				p.Pick(v, flow.Env{}, seed)
			}
		}
		list, err := flow.Parse(json.RawMessage(withIDs(text)))
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := json.Marshal(list); err != nil || codeOf(t, string(raw)) != "" {
			t.Fatalf("the JSON of a flow that passed validation is refused: %s, %v", codeOf(t, string(raw)), err)
		}
	})
}
