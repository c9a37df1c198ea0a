package click

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click/visitor"
	"switchyard/api/routing"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// simulated is a random account: some campaigns that pass visitors on to one another, and their destinations.
type simulated struct {
	*rand.Rand
	records   *store.Routing
	account   uuid.UUID
	domain    uuid.UUID
	campaigns []uuid.UUID
	offers    []*store.RoutingOffer
	landers   []*store.RoutingLander
	rules     []uuid.UUID
}

func (s *simulated) chance(percent int) bool { return s.IntN(100) < percent }

func pick[T any](s *simulated, list ...T) T { return list[s.IntN(len(list))] }

func newSimulated(seed uint64) *simulated {
	s := &simulated{Rand: rand.New(rand.NewPCG(seed, 7)), account: uuid.New(), domain: uuid.New()}
	s.records = &store.Routing{Rows: []store.RoutingRow{
		&store.RoutingAccount{ID: s.account, Timezone: "Europe/Berlin"}, &store.RoutingDomain{ID: s.domain, Host: sharedHost},
	}}
	add := func(r store.RoutingRow) { s.records.Rows = append(s.records.Rows, r) }
	for i := range 5 {
		o := &store.RoutingOffer{ID: uuid.New(), AccountID: s.account, URL: fmt.Sprintf("https://offer%d.test/", i), IsActive: s.chance(80)}
		if s.chance(25) {
			n := 3
			o.DailyCap = &n
		}
		s.offers = append(s.offers, o)
		add(o)
		l := &store.RoutingLander{ID: uuid.New(), AccountID: s.account, URL: fmt.Sprintf("https://lander%d.test/", i), IsActive: s.chance(80)}
		s.landers = append(s.landers, l)
		add(l)
		raw, _ := json.Marshal([]m{s.condition()})
		r := &store.RoutingRule{ID: uuid.New(), AccountID: s.account, Logic: pick(s, "and", "or"), Conditions: raw}
		s.rules = append(s.rules, r.ID)
		add(r)
	}
	for range 1 + s.IntN(5) {
		s.campaigns = append(s.campaigns, uuid.New())
	}
	for i, id := range s.campaigns {
		c := &store.RoutingCampaign{
			ID: id, AccountID: s.account, DomainID: s.domain, Alias: fmt.Sprint("campaign-", i), Status: "active",
			FlowRotation: pick(s, "position", "weight"), UniquenessMethod: "ip", UniquenessTTLHours: 24, Streams: s.flow(),
			BindVisitors: pick(s, "none", "streams", "streams_landers", "streams_landers_offers"),
		}
		if i > 0 && s.chance(15) {
			c.Status = "paused"
		}
		if s.chance(60) {
			c.FallbackURL = fmt.Sprintf("https://fallback%d.test/", i)
		}
		if s.chance(60) {
			c.DestinationURL = fmt.Sprintf("https://destination%d.test/", i)
		}
		add(c)
	}
	return s
}

// condition returns a condition on data that a routing.Question contains. It uses is_unique only if the account has a single
// campaign, because a Question has one value of is_unique for all campaigns.
func (s *simulated) condition() m {
	switch s.IntN(6) {
	case 0:
		return condition("sub1", pick(s, "equals", "not_equals"), pick(s, "a", "b", "c"))
	case 1:
		return condition("param.p", pick(s, "contains", "starts_with"), pick(s, "a", "b"))
	case 2:
		return condition("clicks_today", pick(s, "lt", "gte"), s.IntN(20))
	case 3:
		return condition("country", "in", []string{"US", pick(s, "DE", "FR")})
	case 4:
		return condition("campaign_id", "not_equals", uuid.NewString())
	}
	if len(s.campaigns) != 1 {
		return condition("sub2", "is_set", s.chance(50))
	}
	return condition("is_unique", "equals", s.chance(50))
}

func (s *simulated) flow() json.RawMessage {
	paths := []m{}
	for i := range s.IntN(7) {
		p := path(pick(s, "offer", "offer", "lander", "redirect", "campaign", "nothing"), m{
			"stream_type": "regular", "weight": s.IntN(4) * 25, "rule_group": s.IntN(3), "is_active": s.chance(90),
			"collect_clicks": s.chance(90), "logic": pick(s, "and", "or"), "transition": "302",
		})
		if s.chance(15) {
			p["stream_type"] = "forced"
		} else if i == 5 {
			p["stream_type"] = "default"
		}
		var filters, rules, to []m
		for range s.IntN(3) {
			filters = append(filters, s.condition())
		}
		if s.chance(25) {
			rules = append(rules, m{"rule_id": pick(s, s.rules...)})
		}
		for range 1 + s.IntN(3) {
			switch weight := s.IntN(3) * 50; p["action"] {
			case "lander":
				to = append(to, m{"id": pick(s, s.landers...).ID, "weight": weight})
			case "offer":
				to = append(to, m{"id": pick(s, s.offers...).ID, "weight": weight})
			case "redirect":
				to = append(to, m{"url": fmt.Sprintf("https://url%d.test/", s.IntN(9)), "weight": weight})
			case "campaign":
				p["campaign_id"] = pick(s, s.campaigns...)
			}
		}
		if s.chance(25) {
			p["daily_cap"] = 1 + s.IntN(5)
		}
		p["filters"], p["rules"], p["destinations"] = filters, rules, to
		paths = append(paths, p)
	}
	raw, _ := json.Marshal(paths)
	return raw
}

// arrival is a visitor. back is true after the first visit.
type arrival struct {
	cookies map[string]string
	addr    string
	country string
	back    bool
}

// question returns the question for an Explainer about the visitor of the click c, with the counts and bindings from before the
// click.
func (s *simulated) question(c *models.Click, a *arrival, query map[string]string, h *Handler, conversions map[uuid.UUID]int) routing.Question {
	facts := &cond.Facts{}
	facts.SetText(cond.Named("sub1"), c.Subs[0])
	facts.SetText(cond.Named("country"), c.Country)
	facts.SetBool(cond.IsUnique, !a.back)
	facts.SetSource(querySource(query))
	q := routing.Question{
		Campaign: s.campaigns[0], Facts: facts, Bound: map[uuid.UUID]flow.Binding{}, Clicks: map[uuid.UUID]int{},
		Conversions: conversions,
	}
	snap := h.routes.Current()
	zone := snap.Account(s.account).Zone
	for _, id := range s.campaigns {
		if b, ok := parseIDs[[3]uuid.UUID](a.cookies[bindCookieName+models.FormatClickID(id)]); ok {
			q.Bound[id] = flow.Binding{Path: b[0], Lander: b[1], Offer: b[2]}
		}
		q.Clicks[id] = h.caps.today(id, localDay(time.Now(), zone))
		for _, r := range snap.Campaign(id).Plan.Routes() {
			q.Clicks[r.ID] = h.caps.today(r.ID, localDay(time.Now(), zone))
		}
	}
	return q
}

type querySource map[string]string

func (q querySource) Param(name string) string { return q[name] }
func (querySource) Header(string) string       { return "" }

// TestLiveEqualsSimulated makes 10,000 visits of random visitors to random flows with hand-overs, bindings, caps, saved rules,
// weights and both rotations. The redirect's recorded decision must equal an Explainer's answer for the same visitor.
func TestLiveEqualsSimulated(t *testing.T) {
	t.Parallel()
	const setups, visits = 400, 25
	vias, handovers := map[flow.Via]int{}, 0
	sent := benchRequest()
	for seed := range uint64(setups) {
		s, memory := newSimulated(seed), &memorySpool{}
		h, explainer := handlerOf(t, memory, s.records), routing.NewExplainer(s.records)
		conversions := map[uuid.UUID]int{}
		for _, capped := range h.routes.Current().CappedOffers() {
			for _, o := range capped {
				conversions[o.Row.ID] = s.IntN(6)
				o.SetConversions(conversions[o.Row.ID])
			}
		}
		var known []*arrival
		for n := range visits {
			if len(known) == 0 || s.chance(40) {
				addr := fmt.Sprintf("8.8.%d.%d:1", n, s.IntN(250))
				known = append(known, &arrival{cookies: map[string]string{}, addr: addr, country: countryOf(t, addr)})
			}
			a := pick(s, known...)
			query := map[string]string{"sub1": pick(s, "a", "b", "c"), "p": pick(s, "a", "b")}
			req := sent.Clone(t.Context())
			req.URL.Path, req.URL.RawQuery, req.RemoteAddr = "/campaign-0", "sub1="+query["sub1"]+"&p="+query["p"], a.addr
			for name, value := range a.cookies {
				req.AddCookie(&http.Cookie{Name: name, Value: value})
			}
			c := models.Click{Subs: [models.Subs]string{query["sub1"]}}
			c.Country = a.country
			q := s.question(&c, a, query, h, maps.Clone(conversions))
			before := len(memory.clicks())
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			for _, cookie := range w.Result().Cookies() {
				a.cookies[cookie.Name] = cookie.Value
			}
			a.back = true
			list := memory.clicks()
			if len(list) == before {
				continue // the path does not collect clicks, so the seed is unknown
			}
			live := list[len(list)-1]
			q.Seed = live.RouteSeed
			e := explainer.Explain(q)
			if explained, recorded := decisionText(&e), done(live); explained != recorded {
				t.Fatalf("setup %d, visit %d\nlive:      %s\nsimulated: %s", seed, n, recorded, explained)
			}
			vias[e.Via]++
			handovers += len(e.Stages) - 1
		}
	}
	for via := flow.ViaNone; via <= flow.ViaDestination; via++ {
		if vias[via] == 0 && via != flow.ViaNone {
			t.Errorf("no visitor was sent on by %s", via)
		}
	}
	if handovers < 500 {
		t.Errorf("visitors were handed over to another campaign %d times, want at least 500", handovers)
	}
}

func countryOf(tb testing.TB, addr string) string {
	tb.Helper()
	v, err := describer()
	if err != nil {
		tb.Fatal(err)
	}
	r := benchRequest()
	r.RemoteAddr = netip.MustParseAddrPort(addr).String()
	var d visitor.Description
	v.Describe(r, nil, &d)
	return d.Country
}

func decisionText(e *routing.Explanation) string {
	var path, lander, offer, passed uuid.UUID
	var why flow.Refusal
	if e.Route != nil {
		path = e.Route.ID
	}
	if e.Lander != nil {
		lander = e.Lander.ID
	}
	if e.Offer != nil {
		offer = e.Offer.ID
	}
	if e.Passed.Route != nil {
		passed, why = e.Passed.Route.ID, e.Passed.Why
	}
	return decided(e.Via, e.Stages[len(e.Stages)-1].CampaignID, path, lander, offer, e.FlowHash, e.URL(), passed, why)
}

func done(c *models.Click) string {
	return decided(flow.Via(c.Via), c.CampaignID, c.StreamID, c.LanderID, c.OfferID, c.FlowHash, c.Destination,
		c.PassedStreamID, flow.Refusal(c.PassedReason))
}

func decided(via flow.Via, campaign, path, lander, offer uuid.UUID, hash uint64, url string, passed uuid.UUID,
	why flow.Refusal,
) string {
	return strings.Join([]string{
		via.String(), campaign.String(), path.String(), lander.String(), offer.String(), strconv.FormatUint(hash, 10), url,
		passed.String(), string(why),
	}, " ")
}
