package flow_test

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/flow"
)

func shares(p *flow.Plan, v *flow.Visitor, n int) map[string]int {
	got := map[string]int{}
	for i := range n {
		got[pathOf(p.Pick(v, flow.Env{}, uint64(i)*7919))]++ // the seeds are arbitrary, but all different
	}
	return got
}

func checkShare(t *testing.T, what string, got, n int, share float64) {
	t.Helper()
	// The tolerance is six standard deviations. The seeds are fixed, so the test cannot fail at random.
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
		t.Errorf("visitors from FR went to %v, want all 50 on the path \"alone\"", got)
	}
	if got := shares(p, visitor("IT"), 50); got["alone2"] != 50 {
		t.Errorf("visitors from IT went to %v, want all 50 on the path \"alone2\"", got)
	}
	got := shares(p, visitor("US"), n)
	checkShare(t, "US g1a", got["g1a"], n, 0.1)
	checkShare(t, "US g1b", got["g1b"], n, 0.3)
	checkShare(t, "US g1us", got["g1us"], n, 0.6)
	got = shares(p, visitor("DE"), n)
	checkShare(t, "DE g1a", got["g1a"], n, 0.25)
	checkShare(t, "DE g1b", got["g1b"], n, 0.75)
	p = a.plan(t, paths, func(o *flow.Options) { o.Rotation = flow.ByWeight })
	got = shares(p, visitor("FR"), n)
	checkShare(t, "by weight g2", got["g2"], n, 100.0/304)
	checkShare(t, "by weight g1b", got["g1b"], n, 3.0/304)
	checkShare(t, "by weight alone", got["alone"], n, 100.0/304)
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
		{"and", "chrome", "AT", true},
		{"and", "chrome", "DE", false},
		{"and", "chrome", "US", false},
		{"and", "opera", "AT", false},
		{"or", "opera", "FR", true},
		{"or", "opera", "", true},
	}
	a := newAccount(t)
	for _, tt := range tests {
		p := a.plan(t, fmt.Sprintf(path, tt.logic, tt.browser), nil)
		if d := p.Pick(visitor(tt.country), flow.Env{}, 1); (d.Via == flow.ViaRegular) != tt.want {
			t.Errorf("%+v: the decision is %s; regular means that the path matches", tt, d.Via)
		}
	}
	p := a.plan(t, fmt.Sprintf(path, "and", "chrome"), nil)
	for attr, want := range map[cond.Attr]bool{
		cond.Named("country"): true, cond.Named("device_type"): true, cond.Named("city"): false,
		cond.IsUnique: false,
	} {
		if p.Uses(attr) != want {
			t.Errorf("uses %s: %v", attr, !want)
		}
	}
	unique := a.plan(t, `[{"action":"nothing","filters":[{"attribute":"is_unique","operator":"equals","value":1}]}]`, nil)
	if !unique.Uses(cond.IsUnique) || unique.Uses(cond.ClicksToday) {
		t.Error("Uses must be true for is_unique and false for clicks_today")
	}
	withoutRule := a.plan(t, `[{"action":"nothing","rules":[{"rule_id":"<31>"}]}]`,
		func(o *flow.Options) { o.Rule = func(uuid.UUID) *cond.Matcher { return nil } })
	if d := withoutRule.Pick(visitor("DE"), flow.Env{}, 1); d.Via != flow.ViaNone {
		t.Error("a visitor satisfies a rule that no longer exists")
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
	checkShare(t, "offer 1", got["offer 1"], n, 1.0/6)
	checkShare(t, "offer 2", got["offer 2"], n, 3.0/6)
	checkShare(t, "url", got["https://u.example/"], n, 2.0/6)
	if got["offer 3"]+got["offer 4"] != 0 {
		t.Errorf("unusable offers were served: %v", got)
	}
	withoutOffer := a.plan(t, `[{"name":"capped","action":"offer","destinations":[{"id":"<3>"}]},
		{"name":"next","action":"nothing"}]`, nil)
	if got := pathOf(withoutOffer.Pick(visitor("DE"), flow.Env{}, 1)); got != "next" {
		t.Errorf("a path without a usable destination was chosen: %s", got)
	}
	a.refs[id(3)].SetCapped(false)
	if got := pathOf(withoutOffer.Pick(visitor("DE"), flow.Env{}, 1)); got != "capped" {
		t.Errorf("the offer is usable again: the visitor got %s, want the path \"capped\"", got)
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
		t.Fatalf("the decision is %+v, want the lander and no offer", d)
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
		t.Errorf("the destinations of each slot are\n%s\nwant\n%s", got, want)
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
		t.Error("an offer is returned although none is usable")
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
	planBinding := func(b flow.Bind) *flow.Plan {
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
	if got := pathOf(planBinding(flow.BindNone).Pick(v("US", 42), flow.Env{}, 1)); got != "us" {
		t.Errorf("the campaign does not bind visitors: the visitor got the path %s, want \"us\"", got)
	}
	streams := planBinding(flow.BindStreams)
	d := streams.Pick(v("US", 42), flow.Env{}, 1)
	if pathOf(d) != "any" || d.Via != flow.ViaBound || !d.Bindable {
		t.Errorf("the visitor got the path %s, want \"any\", the path to which the visitor is bound", pathOf(d))
	}
	if got := landers(streams, v("US", 42)); len(got) != 2 {
		t.Errorf("the binding \"streams\" also binds the lander: the visitor saw only %v", got)
	}
	if got := landers(planBinding(flow.BindStreamsLanders), v("US", 42)); len(got) != 1 || !got[id(12)] {
		t.Errorf("the lander is not bound: %v", got)
	}
	if d := streams.Pick(v("RU", 42), flow.Env{}, 1); pathOf(d) != "ru" || d.Bindable {
		t.Errorf("the visitor got the path %s (bindable: %t), want the forced path \"ru\", which is not bindable", pathOf(d), d.Bindable)
	}
	if got := pathOf(streams.Pick(v("US", 43), flow.Env{}, 1)); got != "us" {
		t.Errorf("a visitor with a binding to a forced path got the path %s, want \"us\"", got)
	}
	if got := pathOf(streams.Pick(v("US", 44), flow.Env{}, 1)); got != "rest" {
		t.Errorf("the visitor got the path %s, want the default path, to which the visitor is bound", got)
	}
	a.refs[id(12)].SetPaused(true)
	if got := landers(planBinding(flow.BindStreamsLanders), v("US", 42)); len(got) != 1 || !got[id(11)] {
		t.Errorf("the visitor saw %v, want only the lander that is not paused", got)
	}
	capReached := flow.Env{Admit: func(*flow.Route) bool { return false }}
	if got := pathOf(streams.Pick(v("US", 42), capReached, 1)); got != "us" {
		t.Errorf("a visitor with a binding to a path whose cap is reached got the path %s, want \"us\"", got)
	}
}

// TestAdmitIsExact checks that a cap that Admit counts is used up exactly, by 16 goroutines at the same time.
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
		t.Errorf("the capped path got %d clicks, want 1000", served.Load())
	}
}

func explained(o *flow.Options) { o.Explained = true }

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
		{"name":"end","action":"nothing"}]`, explained)
	v := visitor("DE")
	trace := &flow.Trace{}
	d := p.Pick(v, flow.Env{Trace: trace}, 9)
	if d != p.Pick(v, flow.Env{}, 9) {
		t.Error("Pick decides differently with a trace")
	}
	var got []string
	for _, s := range trace.Steps {
		got = append(got, s.Path+":"+s.Via+":"+string(s.Refused))
	}
	want := "[off:forced:inactive fr:regular:conditions dead:regular:no_usable_destination " +
		"zero:regular:weight_zero end:regular:]"
	if fmt.Sprint(got) != want {
		t.Errorf("steps %v\nwant %s", got, want)
	}
	units := trace.Steps[1].Units
	if len(units) != 2 || units[0].Matched || units[0].Conditions[0].Seen != "DE" || !units[1].Matched ||
		units[1].Rule != "mine" {
		t.Errorf("the trace of the path \"fr\" has the units %+v, want its filters unmatched and its rule \"mine\" matched", units)
	}
}
