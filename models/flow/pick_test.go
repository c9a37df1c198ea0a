package flow_test

import (
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

// shares routes n visitors and gives how many went each way.
func shares(p *flow.Plan, v *flow.Visitor, n int) map[string]int {
	got := map[string]int{}
	for i := range n {
		got[pathOf(p.Pick(v, flow.Env{}, uint64(i)*7919))]++
	}
	return got
}

func near(t *testing.T, what string, got, n int, share float64) {
	t.Helper()
	// Six standard deviations: with fixed seeds it cannot flicker, and a wrong weight shows.
	if d := math.Abs(float64(got) - share*float64(n)); d > 6*math.Sqrt(float64(n)*share*(1-share))+1 {
		t.Errorf("%s: %d of %d, want a share of %.3f", what, got, n, share)
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	const paths = `[
		{"name":"g2","rule_group":2,"action":"nothing"},
		{"name":"g1a","rule_group":1,"weight":1,"action":"nothing"},
		{"name":"g1b","rule_group":1,"weight":3,"action":"nothing"},
		{"name":"g1us","rule_group":1,"weight":6,"action":"nothing",
			"filters":[{"attribute":"country","operator":"equals","value":"US"}]},
		{"name":"alone","action":"nothing","filters":[{"attribute":"country","operator":"equals","value":"FR"}]},
		{"name":"alone2","action":"nothing","filters":[{"attribute":"country","operator":"in","value":["FR","IT"]}]}]`
	a, n := newAccount(t), 20000
	p := a.plan(t, paths, nil)
	if got := shares(p, visitor("FR"), 50); got["alone"] != 50 {
		t.Errorf("FR: %v", got)
	}
	if got := shares(p, visitor("IT"), 50); got["alone2"] != 50 {
		t.Errorf("IT: %v", got)
	}
	got := shares(p, visitor("US"), n)
	near(t, "US g1a", got["g1a"], n, 0.1)
	near(t, "US g1b", got["g1b"], n, 0.3)
	near(t, "US g1us", got["g1us"], n, 0.6)
	got = shares(p, visitor("DE"), n)
	near(t, "DE g1a", got["g1a"], n, 0.25)
	near(t, "DE g1b", got["g1b"], n, 0.75)
	p = a.plan(t, paths, func(o *flow.Options) { o.Rotation = flow.ByWeight })
	got = shares(p, visitor("FR"), n)
	near(t, "by weight g2", got["g2"], n, 100.0/304)
	near(t, "by weight g1b", got["g1b"], n, 3.0/304)
	near(t, "by weight alone", got["alone"], n, 100.0/304)
	if got["g1us"] != 0 {
		t.Error("a path that does not match was drawn")
	}
}

func TestLogic(t *testing.T) {
	t.Parallel()
	const path = `[{"name":"p","action":"nothing","logic":%q,
		"filters":[{"attribute":"device_type","operator":"equals","value":"mobile"},
			{"attribute":"browser","operator":"equals","value":%q}],
		"rules":[{"rule_id":"<31>"},{"logic":"or","conditions":[
			{"attribute":"country","operator":"equals","value":"US"},
			{"attribute":"country","operator":"equals","value":"AT"}]}]}]`
	tests := []struct {
		logic, browser, country string
		want                    bool
	}{
		{"and", "chrome", "AT", true}, {"and", "chrome", "DE", false}, {"and", "chrome", "US", false},
		{"and", "opera", "AT", false}, {"or", "opera", "FR", true}, {"or", "opera", "", true},
	}
	a := newAccount(t)
	for _, tt := range tests {
		p := a.plan(t, fmt.Sprintf(path, tt.logic, tt.browser), nil)
		if d := p.Pick(visitor(tt.country), flow.Env{}, 1); (d.Via == flow.ViaRegular) != tt.want {
			t.Errorf("%+v: %s", tt, d.Via)
		}
	}
	gone := a.plan(t, `[{"action":"nothing","rules":[{"rule_id":"<31>"}]}]`,
		func(o *flow.Options) { o.Rule = func(uuid.UUID) *cond.Matcher { return nil } })
	if d := gone.Pick(visitor("DE"), flow.Env{}, 1); d.Via != flow.ViaNone {
		t.Error("a rule that is gone let a visitor through")
	}
}

func TestDestinations(t *testing.T) {
	t.Parallel()
	a, n := newAccount(t), 20000
	p := a.plan(t, `[{"action":"offer","destinations":[{"id":"<1>","weight":1},{"id":"<2>","weight":3},
		{"id":"<3>","weight":4},{"url":"https://u.example/","weight":2},{"id":"<4>","weight":0}]}]`, nil)
	a.refs[id(3)].SetCapped(true)
	got := map[string]int{}
	for i := range n {
		d := p.Pick(visitor("DE"), flow.Env{}, uint64(i))
		if d.URL != nil {
			got[d.URL.Source()]++
		} else {
			got[d.Offer.Record().(string)]++
		}
	}
	near(t, "offer 1", got["offer 1"], n, 1.0/6)
	near(t, "offer 2", got["offer 2"], n, 3.0/6)
	near(t, "url", got["https://u.example/"], n, 2.0/6)
	if got["offer 3"]+got["offer 4"] != 0 {
		t.Errorf("unusable offers were served: %v", got)
	}
	none := a.plan(t, `[{"name":"capped","action":"offer","destinations":[{"id":"<3>"}]},
		{"name":"next","action":"nothing"}]`, nil)
	if got := pathOf(none.Pick(visitor("DE"), flow.Env{}, 1)); got != "next" {
		t.Errorf("a path without a usable destination was chosen: %s", got)
	}
	a.refs[id(3)].SetCapped(false)
	if got := pathOf(none.Pick(visitor("DE"), flow.Env{}, 1)); got != "capped" {
		t.Errorf("the offer is usable again, the decision is %s", got)
	}
}

func TestPickOffer(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	text := `[{"action":"lander","destinations":[{"id":"<11>"},{"id":"<1>","slot":1},{"id":"<2>","slot":2},
		{"id":"<3>","slot":2},{"url":"https://any.example/","weight":50}]}]`
	p := a.plan(t, text, func(o *flow.Options) { o.Bind = flow.BindStreamsLandersOffers })
	d := p.Pick(visitor("DE"), flow.Env{}, 5)
	if d.Lander != a.refs[id(11)] || d.Offer != nil || d.URL != nil || d.Action() != flow.ActionLander {
		t.Fatalf("%+v", d)
	}
	seen := map[int]map[string]bool{}
	for slot := range 4 {
		seen[slot] = map[string]bool{}
		for seed := range uint64(300) {
			offer, url, ok := p.PickOffer(d.Route, slot, uuid.Nil, seed)
			switch {
			case !ok:
				seen[slot]["none"] = true
			case offer != nil:
				seen[slot][offer.Record().(string)] = true
			default:
				seen[slot][url.Source()] = true
			}
		}
	}
	const anyURL = "https://any.example/"
	want := "map[0:map[" + anyURL + ":true offer 1:true] 1:map[" + anyURL + ":true offer 1:true] 2:map[" + anyURL +
		":true offer 2:true offer 3:true] 3:map[" + anyURL + ":true]]"
	if got := fmt.Sprint(seen); got != want {
		t.Errorf("slots:\n%s\nwant\n%s", got, want)
	}
	for seed := range uint64(50) {
		if offer, _, _ := p.PickOffer(d.Route, 2, id(3), seed); offer != a.refs[id(3)] {
			t.Fatal("the bound offer was not kept")
		}
	}
	a.refs[id(3)].SetPaused(true)
	if offer, _, ok := p.PickOffer(d.Route, 2, id(3), 1); !ok || offer == a.refs[id(3)] {
		t.Error("a paused offer was kept")
	}
	bare := a.plan(t, `[{"action":"lander","destinations":[{"id":"<11>"}]}]`, nil)
	if _, _, ok := bare.PickOffer(&bare.Routes()[0], 1, uuid.Nil, 1); ok {
		t.Error("an offer out of nowhere")
	}
}

func TestBinding(t *testing.T) {
	t.Parallel()
	const paths = `[
		{"id":"<41>","name":"us","action":"nothing","filters":[{"attribute":"country","operator":"equals","value":"US"}]},
		{"id":"<42>","name":"any","daily_cap":9,"action":"lander","destinations":[{"id":"<11>"},{"id":"<12>"},{"id":"<1>"}]},
		{"id":"<43>","name":"ru","stream_type":"forced","action":"nothing",
			"filters":[{"attribute":"country","operator":"equals","value":"RU"}]},
		{"id":"<44>","name":"rest","stream_type":"default","action":"nothing"}]`
	a := newAccount(t)
	with := func(b flow.Bind) *flow.Plan {
		return a.plan(t, paths, func(o *flow.Options) { o.Bind = b })
	}
	v := func(country string, path int) *flow.Visitor {
		v := visitor(country)
		v.Bound = flow.Binding{Path: id(path), Lander: id(12)}
		return v
	}
	landers := func(p *flow.Plan, v *flow.Visitor) map[uuid.UUID]bool {
		seen := map[uuid.UUID]bool{}
		for seed := range uint64(100) {
			if d := p.Pick(v, flow.Env{}, seed); d.Lander != nil {
				seen[d.Lander.ID] = true
			}
		}
		return seen
	}
	if got := pathOf(with(flow.BindNone).Pick(v("US", 42), flow.Env{}, 1)); got != "us" {
		t.Errorf("bound although the campaign does not bind: %s", got)
	}
	streams := with(flow.BindStreams)
	d := streams.Pick(v("US", 42), flow.Env{}, 1)
	if pathOf(d) != "any" || d.Via != flow.ViaBound || !d.Bindable {
		t.Errorf("not bound: %s", pathOf(d))
	}
	if got := landers(streams, v("US", 42)); len(got) != 2 {
		t.Errorf("streams binds landers: %v", got)
	}
	if got := landers(with(flow.BindStreamsLanders), v("US", 42)); len(got) != 1 || !got[id(12)] {
		t.Errorf("the lander is not bound: %v", got)
	}
	if d := streams.Pick(v("RU", 42), flow.Env{}, 1); pathOf(d) != "ru" || d.Bindable {
		t.Errorf("forced goes first and does not bind: %s", pathOf(d))
	}
	if got := pathOf(streams.Pick(v("US", 43), flow.Env{}, 1)); got != "us" {
		t.Errorf("bound to a forced path: %s", got)
	}
	if got := pathOf(streams.Pick(v("US", 44), flow.Env{}, 1)); got != "rest" {
		t.Errorf("not bound to the default: %s", got)
	}
	a.refs[id(12)].SetPaused(true)
	if got := landers(with(flow.BindStreamsLanders), v("US", 42)); len(got) != 1 || !got[id(11)] {
		t.Errorf("a paused lander is kept: %v", got)
	}
	a.gates[id(42)].SetCapped(true)
	if got := pathOf(streams.Pick(v("US", 42), flow.Env{}, 1)); got != "us" {
		t.Errorf("bound to a capped path: %s", got)
	}
}

// TestAdmitIsExact holds that a cap counted by Admit is used up to the last click and never passed, with 16 at once.
func TestAdmitIsExact(t *testing.T) {
	t.Parallel()
	p := newAccount(t).plan(t, `[{"name":"capped","daily_cap":1000,"action":"nothing"},
		{"name":"rest","stream_type":"default","action":"nothing"}]`, nil)
	var left, served atomic.Int64
	left.Store(1000)
	env := flow.Env{Admit: func(r *flow.Route) bool { return r.DailyCap == 1000 && left.Add(-1) >= 0 }}
	var wg sync.WaitGroup
	for g := range 16 {
		wg.Go(func() {
			v := visitor("DE")
			for i := range 100 {
				if pathOf(p.Pick(v, env, uint64(g*1000+i))) == "capped" {
					served.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if served.Load() != 1000 {
		t.Errorf("%d served of 1000", served.Load())
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	a := newAccount(t)
	a.refs[id(2)].SetPaused(true)
	p := a.plan(t, `[
		{"name":"off","stream_type":"forced","is_active":false,"action":"nothing"},
		{"name":"fr","action":"nothing","filters":[{"attribute":"country","operator":"equals","value":"FR"}],
			"rules":[{"name":"mine","rule_id":"<31>"}]},
		{"name":"dead","action":"offer","destinations":[{"id":"<2>"}]},
		{"name":"zero","weight":0,"action":"nothing"},
		{"name":"end","action":"nothing"}]`, nil)
	v := visitor("DE")
	d, trace := p.Explain(v, flow.Env{}, 9)
	if d != p.Pick(v, flow.Env{}, 9) {
		t.Error("Explain and Pick decide differently")
	}
	var got []string
	for _, s := range trace.Steps {
		got = append(got, s.Path+":"+s.Via+":"+string(s.Refused))
	}
	want := "[off:forced:inactive fr:regular:conditions dead:regular:no_usable_destination zero:regular:weight_zero end:regular:]"
	if fmt.Sprint(got) != want {
		t.Errorf("steps %v\nwant %s", got, want)
	}
	units := trace.Steps[1].Units
	if len(units) != 2 || units[0].Matched || units[0].Conditions[0].Seen != "DE" || !units[1].Matched ||
		units[1].Rule != "mine" {
		t.Errorf("units: %+v", units)
	}
}

// genFlow draws flows that validation lets through most of the time.
func genFlow(t *rapid.T) []flow.Path {
	conditions := []cond.Condition{
		{Attribute: "country", Operator: "equals", Value: "DE"}, {Attribute: "country", Operator: "not_in", Value: []any{"DE"}},
		{Attribute: "browser_version", Operator: "gte", Value: "100"}, {Attribute: "region", Operator: "regex", Value: "b"},
	}
	some := rapid.SliceOfN(rapid.SampledFrom(conditions), 0, 3)
	paths := make([]flow.Path, rapid.IntRange(1, 8).Draw(t, "paths"))
	for i := range paths {
		p := flow.NewPath()
		p.StreamType = rapid.SampledFrom([]string{flow.Regular, flow.Regular, flow.Forced, flow.Default}).Draw(t, "type")
		p.Action = rapid.SampledFrom([]string{flow.ActionLander, flow.ActionOffer, flow.ActionRedirect,
			flow.ActionCampaign, flow.ActionNothing}).Draw(t, "action")
		p.RuleGroup = rapid.IntRange(0, 3).Draw(t, "group")
		p.Weight = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
		p.IsActive = rapid.IntRange(0, 4).Draw(t, "active") > 0
		p.Logic = rapid.SampledFrom([]string{"and", "or"}).Draw(t, "logic")
		p.Filters = some.Draw(t, "filters")
		p.CampaignID = id(21).String()
		if c := some.Draw(t, "rule"); len(c) > 0 {
			p.Rules = append(p.Rules, flow.RuleRef{Conditions: c}, flow.RuleRef{RuleID: id(31).String()})
		}
		for range rapid.IntRange(0, 4).Draw(t, "destinations") {
			d := flow.Destination{ID: id(rapid.IntRange(1, 4).Draw(t, "offer")).String(),
				Weight: float64(rapid.IntRange(0, 2).Draw(t, "share")), Slot: rapid.IntRange(0, 2).Draw(t, "slot")}
			if p.Action == flow.ActionLander && rapid.Bool().Draw(t, "lander") {
				d.ID = id(rapid.IntRange(11, 14).Draw(t, "lander id")).String()
			}
			p.Destinations = append(p.Destinations, d)
		}
		paths[i] = p
	}
	return flow.Normalize(paths)
}

// TestProperties holds on random flows and visitors: nothing unusable is served, a decision can be carried out, the
// trace tells the same, and a bound visitor returns to the same path, lander and offer.
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
		if explained, _ := p.Explain(v, flow.Env{}, seed); explained != d {
			rt.Fatal("Explain decides differently")
		}
		if d.Route == nil {
			return
		}
		if path := paths[d.Route.Index]; !path.IsActive || path.ID != d.Route.ID.String() ||
			d.Via == flow.ViaRegular && path.Weight == 0 {
			rt.Fatalf("path %+v was chosen", path)
		}
		for _, ref := range []*flow.Ref{d.Lander, d.Offer} {
			if ref != nil && !ref.Open() {
				rt.Fatal("something unusable was served")
			}
		}
		leads := d.Lander != nil || d.Offer != nil || d.URL != nil
		if wants := d.Action() != flow.ActionNothing && d.Action() != flow.ActionCampaign; wants != leads {
			rt.Fatalf("%s without a destination, or the other way round", d.Action())
		}
		v.Bound.Path = d.Route.ID
		if d.Lander != nil {
			v.Bound.Lander = d.Lander.ID
			if offer, _, ok := p.PickOffer(d.Route, 1, uuid.Nil, seed); ok {
				if again, _, _ := p.PickOffer(d.Route, 1, offer.ID, seed+1); !offer.Open() || again != offer {
					rt.Fatal("the click-out's offer is not kept, or not usable")
				}
			}
		}
		if d.Offer != nil {
			v.Bound.Offer = d.Offer.ID
		}
		for i := range uint64(5) {
			again := p.Pick(v, flow.Env{}, seed+i*977)
			if again.Route != d.Route || again.Lander != d.Lander || again.Offer != d.Offer {
				rt.Fatalf("bound to %s, sent to %s", pathOf(d), pathOf(again))
			}
		}
	})
}

// FuzzFlow holds that no JSON makes Parse or Validate panic, that what they let through compiles and routes, and that
// a refusal is one for the client.
func FuzzFlow(f *testing.F) {
	f.Add(withIDs(`[{"action":"offer","destinations":[{"id":"<1>","weight":2}],"rules":[{"rule_id":"<31>"}]}]`), "DE", uint64(1))
	f.Add(withIDs(`[{"action":"lander","stream_type":"default","logic":"or","destinations":[{"id":"<11>"},{"url":"http://a.b/{sub1}","slot":3}],
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
			t.Fatalf("a saved flow is refused when sent back: %s, %v", codeOf(t, string(raw)), err)
		}
	})
}
