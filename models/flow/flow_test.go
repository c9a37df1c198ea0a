package flow_test

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models/cond"
	"switchyard/models/flow"
	"switchyard/models/token"
)

func id(n int) uuid.UUID { return uuid.UUID{6: 0x40, 8: 0x80, 14: byte(n >> 8), 15: byte(n)} }

// account is a fixture with the offers 1-9, the landers 11-19, the campaigns 21-29 and the saved rules 31-39.
type account struct {
	refs  map[uuid.UUID]*flow.Ref
	rules map[uuid.UUID]*cond.Matcher
	known flow.Known
}

func newAccount(tb testing.TB) *account {
	tb.Helper()
	a := &account{
		refs: map[uuid.UUID]*flow.Ref{}, rules: map[uuid.UUID]*cond.Matcher{}, known: flow.Known{
			Offers:  map[uuid.UUID]bool{},
			Landers: map[uuid.UUID]bool{}, Campaigns: map[uuid.UUID]bool{}, Rules: map[uuid.UUID]cond.Cost{},
		},
	}
	saved, err := cond.Compile([]cond.Condition{{
		Attribute: "country", Operator: "in",
		Value: []any{"DE", "AT"},
	}}, "and")
	if err != nil {
		tb.Fatal(err)
	}
	for n := 1; n <= 9; n++ {
		a.refs[id(n)] = flow.NewRef(id(n), flow.KindOffer, fmt.Sprintf("offer %d", n))
		a.refs[id(10+n)] = flow.NewRef(id(10+n), flow.KindLander, nil)
		a.known.Offers[id(n)], a.known.Landers[id(10+n)] = true, true
		a.known.Campaigns[id(20+n)], a.known.Rules[id(30+n)] = true, cond.Cost{}
		a.rules[id(30+n)] = saved
	}
	return a
}

func (a *account) options() flow.Options {
	return flow.Options{
		Ref:  func(id uuid.UUID) *flow.Ref { return a.refs[id] },
		Rule: func(id uuid.UUID) *cond.Matcher { return a.rules[id] },
	}
}

// plan parses, validates and compiles a flow. <1> stands for the id of record 1 of the account.
func (a *account) plan(tb testing.TB, paths string, change func(*flow.Options)) *flow.Plan {
	tb.Helper()
	list, err := flow.Parse(json.RawMessage(withIDs(paths)))
	if err == nil {
		err = flow.Validate(list, a.known)
	}
	if err != nil {
		tb.Fatalf("flow %s: %v", paths, err)
	}
	o := a.options()
	if change != nil {
		change(&o)
	}
	p, err := flow.Compile(list, o)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

var idMark = regexp.MustCompile(`<\d{1,4}>`)

func withIDs(s string) string {
	return idMark.ReplaceAllStringFunc(s, func(m string) string {
		n, _ := strconv.Atoi(m[1 : len(m)-1])
		return id(n).String()
	})
}

func visitor(country string) *flow.Visitor {
	f := &cond.Facts{}
	f.SetText(cond.Named("country"), country)
	f.SetText(cond.Named("device_type"), "mobile")
	f.SetText(cond.Named("browser"), "Chrome")
	f.SetText(cond.Named("browser_version"), "131.0.6778.86")
	f.SetText(cond.Named("user_agent"), "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/131.0 Mobile Safari")
	f.SetIP(netip.MustParseAddr("192.0.2.7"))
	f.SetTime(time.Date(2026, 3, 4, 12, 30, 0, 0, time.UTC), time.UTC)
	return &flow.Visitor{Facts: f}
}

func pathOf(d flow.Decision) string {
	if d.Route == nil {
		return d.Via.String()
	}
	return d.Route.Name
}

func TestOrder(t *testing.T) {
	t.Parallel()
	const paths = `[
		{"name":"default","stream_type":"default","action":"offer","destinations":[{"id":"<1>"}]},
		{"name":"regular","action":"offer","destinations":[{"id":"<2>"}],
			"filters":[{"attribute":"country","operator":"in","value":["fr","it"]}]},
		{"name":"second","action":"lander","destinations":[{"id":"<11>"},{"id":"<3>"}],"rules":[{"rule_id":"<31>"}]},
		{"name":"forced","stream_type":"forced","action":"nothing",
			"filters":[{"attribute":"country","operator":"equals","value":"RU"}]},
		{"name":"off","stream_type":"forced","action":"nothing","is_active":false},
		{"name":"zero","action":"nothing","weight":0}]`
	a := newAccount(t)
	p := a.plan(t, paths, nil)
	for country, want := range map[string]string{"RU": "forced", "FR": "regular", "DE": "second", "US": "default"} {
		if got := pathOf(p.Pick(visitor(country), flow.Env{}, 1)); got != want {
			t.Errorf("%s goes to %s, want %s", country, got, want)
		}
	}
	a.refs[id(1)].SetPaused(true)
	if got := pathOf(p.Pick(visitor("US"), flow.Env{}, 1)); got != "none" {
		t.Errorf("the offer of the default path is paused: the visitor got %s, want none", got)
	}
	p = a.plan(t, paths, func(o *flow.Options) { o.Destination = token.Compile("https://d.example/") })
	if d := p.Pick(visitor("US"), flow.Env{}, 1); d.Via != flow.ViaDestination || d.Action() != flow.ActionRedirect {
		t.Errorf("no path takes the visitor: the decision is %s, want a redirect to the destination_url", d.Via)
	}
	p = a.plan(t, paths, func(o *flow.Options) {
		o.Destination, o.Fallback = token.Compile("https://d.example/"), token.Compile("https://f.example/")
	})
	if d := p.Pick(visitor("US"), flow.Env{}, 1); d.Via != flow.ViaFallback || d.URL.Source() != "https://f.example/" {
		t.Errorf("want the fallback_url, got %s", d.Via)
	}
}

func benchPlan(tb testing.TB) *flow.Plan {
	tb.Helper()
	paths := make([]map[string]any, 20)
	for i := range paths {
		paths[i] = map[string]any{
			"action": "offer", "destinations": []any{
				map[string]any{"id": id(1).String()}, map[string]any{"id": id(2).String(), "weight": 50},
			},
			"filters": []any{
				map[string]any{"attribute": "country", "operator": "in", "value": []any{"US", "CA", "GB"}},
				map[string]any{"attribute": "browser_version", "operator": "gte", "value": "100.1"},
				map[string]any{
					"attribute": "user_agent", "operator": "contains",
					"value": []any{"iphone", fmt.Sprintf("pixel %d", 30-i)}, // the last path has pixel 11
				},
			},
		}
	}
	raw, err := json.Marshal(paths)
	if err != nil {
		tb.Fatal(err)
	}
	return newAccount(tb).plan(tb, string(raw), nil)
}

func TestPickDoesNotAllocate(t *testing.T) {
	p, v := benchPlan(t), visitor("us")
	p.Pick(v, flow.Env{}, 1)
	if n := testing.AllocsPerRun(100, func() { p.Pick(v, flow.Env{}, 7) }); n != 0 {
		t.Errorf("Pick allocates %v times, want never", n)
	}
}

// BenchmarkPick routes with 20 paths that have three conditions each. The visitor's values are set again each time. Only the last
// path matches.
func BenchmarkPick(b *testing.B) {
	p, v := benchPlan(b), visitor("us")
	country, version, agent := cond.Named("country"), cond.Named("browser_version"), cond.Named("user_agent")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.Facts.Reset()
		v.Facts.SetText(country, "us")
		v.Facts.SetText(version, "131.0.6778.86")
		v.Facts.SetText(agent, "Mozilla/5.0 (Linux; Android 14; Pixel 11) Chrome/131.0 Mobile Safari/537.36")
		p.Pick(v, flow.Env{}, uint64(i))
	}
}
