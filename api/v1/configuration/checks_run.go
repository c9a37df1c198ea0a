package configuration

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click"
	"switchyard/api/click/visitor"
	"switchyard/api/route"
	"switchyard/api/routing"
	"switchyard/db/store"
	"switchyard/models/cond"
	"switchyard/models/country"
	"switchyard/models/flow"
	"switchyard/models/movecheck"
)

// moveChecker makes up visitors of campaigns imported from another tracker, and finds out where this service sends them.
type moveChecker struct {
	call      *route.Call
	campaigns []store.MovedCampaign
	explainer *routing.Explainer
	read      func(campaign uuid.UUID, host string, at time.Time, req *http.Request) *cond.Facts
	paths     map[uuid.UUID][][]cond.Condition
	agents    map[string]*cond.Facts // by agent name: what the user agent alone says
	at        time.Time
	country   string // country of the machine that ran the generated script against the old tracker; empty: unknown
	err       error  // the last error that occurred for any visitor
}

// moveChecker loads a page of the imported campaigns. If ids is not nil, it leaves out campaigns that are not in ids.
func (d Deps) moveChecker(c *route.Call, ids []uuid.UUID, offset, limit int) (*moveChecker, error) {
	c.MustHavePlace()
	campaigns, err := c.Store.ForeignLinks().Campaigns(c.Context(), c.Account.ID, ids, offset, limit)
	if err != nil {
		return nil, err
	}
	loaded := make([]uuid.UUID, len(campaigns))
	for i, one := range campaigns {
		loaded[i] = one.ID
	}
	records, err := store.CampaignsRouting(c.Context(), c.Store.Conn(), c.Account.ID, loaded)
	if err != nil {
		return nil, err
	}
	m := &moveChecker{
		call: c, explainer: routing.NewExplainer(records), paths: map[uuid.UUID][][]cond.Condition{}, agents: map[string]*cond.Facts{}, at: time.Now(),
	}
	m.read = click.NewTester(d.Visitors).Visitors(m.explainer)
	m.campaigns = slices.DeleteFunc(campaigns, func(one store.MovedCampaign) bool { return !m.explainer.Has(one.ID) })
	rules := map[string][]cond.Condition{}
	for _, r := range store.RoutingRows[*store.RoutingRule](records) {
		var list []cond.Condition
		if err := json.Unmarshal(r.Conditions, &list); err == nil { // else the rule matches no visitor
			rules[r.ID.String()] = list
		}
	}
	for _, row := range store.RoutingRows[*store.RoutingCampaign](records) {
		if paths, err := flow.Parse(row.Streams); err == nil { // else the campaign has no paths
			m.paths[row.ID] = movecheck.PathsOf(paths, rules)
		}
	}
	return m, nil
}

// visitors makes up the visitors of a campaign.
func (m *moveChecker) visitors(of store.MovedCampaign) []movecheck.Visitor {
	snap := m.explainer.Snapshot()
	source := snap.Source(snap.Campaign(of.ID).Row.SourceID)
	subs := map[int]string{}
	for _, s := range source.Subs {
		subs[s.Sub+1] = s.Param
	}
	about := movecheck.Campaign{Paths: m.paths[of.ID], SubParams: subs, ExternalParam: source.Row.ExternalIDParam}
	return movecheck.Visitors(about, func(a movecheck.Agent) *cond.Facts {
		if m.agents[a.Name] == nil {
			m.agents[a.Name] = m.facts(of, movecheck.Visitor{Agent: a, Language: "en"})
		}
		return m.agents[a.Name]
	})
}

// facts returns what conditions can know about a visitor.
func (m *moveChecker) facts(of store.MovedCampaign, v movecheck.Visitor) *cond.Facts {
	host := of.Host
	if host == "" {
		host = "old.invalid" // the link has no domain, and the generated script takes the domain from OLD_DOMAIN
	}
	address := "https://" + v.URL(movecheck.Address(host, of.Form, of.ForeignID))
	req, err := http.NewRequestWithContext(m.call.Context(), http.MethodGet, address, nil)
	if err != nil {
		m.err = err
		return &cond.Facts{}
	}
	req.RemoteAddr, req.RequestURI = netip.AddrPortFrom(netip.MustParseAddr(click.TrialAddress), 1).String(), req.URL.RequestURI()
	req.Header.Set("User-Agent", v.Agent.UserAgent)
	req.Header.Set("Accept", visitor.Accept(v.Agent.UserAgent))
	req.Header.Set("Accept-Language", movecheck.AcceptLanguage(v.Language))
	req.Header.Set("Accept-Encoding", "gzip, deflate, br")
	if v.Referrer != "" {
		req.Header.Set("Referer", v.Referrer)
	}
	for _, h := range v.Headers {
		req.Header.Set(h.Name, h.Value)
	}
	f := m.read(of.ID, host, m.at, req)
	f.Assign("country", v.Country)
	f.SetText(cond.Continent, country.Continent(v.Country))
	return f
}

// hidden lists the attributes that a made-up request cannot set, or that each tracker determines in its own way.
var hidden = []string{
	"ip", "ip_version", "region", "city", "isp", "asn", "organization", "mobile_operator", "connection_type", "proxy_kind", "timezone", "is_unique",
	"clicks_today", "bot_score", "bot_reason", "url",
}

// places returns where a visitor from a country can go. An empty country is unknown. certain is false if an unknown attribute
// decides.
func (m *moveChecker) places(of store.MovedCampaign, v movecheck.Visitor, from string) (places []movecheck.Place, certain bool) {
	v.Country = from
	list, certain := m.explainer.Possible(of.ID, m.facts(of, v), func(attribute string) bool {
		return slices.Contains(hidden, attribute) || from == "" && (attribute == "country" || attribute == "continent")
	})
	for i := range list {
		if place := m.place(&list[i]); !slices.ContainsFunc(places, place.Equal) {
			places = append(places, place)
		}
	}
	return places, certain
}

func (m *moveChecker) place(d *flow.Decision) (p movecheck.Place) {
	if p.URL = d.URL; d.Lander != nil {
		p.URL = routing.LanderOf(d.Lander).URL
	}
	if o := routing.OfferOf(d.Offer); o != nil {
		p.URL = o.URL
		if n := m.explainer.Snapshot().Network(o.Row.NetworkID.UUID); n != nil {
			p.ClickParam = n.Row.ClickParam
		}
	}
	if p.URL != nil {
		redirects := []string{flow.Transition301, flow.Transition302, flow.Transition303, flow.Transition307}
		p.ByPage = !slices.Contains(redirects, d.Transition())
		return p
	}
	if p.Status = http.StatusNotFound; d.Route != nil && d.Route.Response != nil {
		p.Status = d.Route.Response.Status
	}
	return p
}

func (m *moveChecker) compare(of store.MovedCampaign, answers []movecheck.Answer) MoveComparedCampaign {
	out := MoveComparedCampaign{CampaignID: of.ID, Name: of.Name, Status: of.Status, Counts: map[string]int{}, Rows: []MoveDifference{}}
	visitors := m.visitors(of)
	last := map[int]movecheck.Answer{} // by the number of the visitor
	for _, a := range answers {
		last[a.Visitor] = a
	}
	for i, v := range visitors {
		a, ok := last[i]
		if !ok {
			continue
		}
		row := MoveDifference{MoveVisitor: shownVisitor(of, i, v), Result: movecheck.Unsure, Reason: movecheck.Changed, Here: []string{}, There: a.Location, Status: a.Status}
		if row.ID == a.ID { // else the campaign has changed since the script was written
			from := m.country
			if a.Told != "" { // the request named the visitor's country in a header
				from = v.Country
			}
			row.Country = from
			places, certain := m.places(of, v, from)
			row.Result, row.Reason = movecheck.Compare(places, certain, row.URL, a)
			row.Here = shownPlaces(places)
		}
		if out.Counts[row.Result]++; row.Result != movecheck.Same {
			out.Rows = append(out.Rows, row)
		}
	}
	order := []string{movecheck.Differs, movecheck.Unsure, movecheck.Missing, movecheck.Dice}
	slices.SortStableFunc(out.Rows, func(a, b MoveDifference) int { return slices.Index(order, a.Result) - slices.Index(order, b.Result) })
	return out
}
