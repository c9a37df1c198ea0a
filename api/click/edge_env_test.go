package click

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strings"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/click/visitor"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/botdata"
)

// edgeAccounts are random accounts. Each has a domain and some campaigns that pass visitors on to one another.
type edgeAccounts struct {
	*simulated
	hosts   map[uuid.UUID]string // by campaign
	aliases map[uuid.UUID]string
	all     []uuid.UUID
}

var edgeZones = []string{"Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC", "Pacific/Auckland", "America/St_Johns"}

// newEdgeAccounts returns accounts that together have at least the given number of campaigns.
func newEdgeAccounts(seed uint64, campaigns int) *edgeAccounts {
	a := &edgeAccounts{
		simulated: &simulated{Rand: rand.New(rand.NewPCG(seed, 11)), records: &store.Routing{}},
		hosts:     map[uuid.UUID]string{}, aliases: map[uuid.UUID]string{},
	}
	for n := 0; len(a.all) < campaigns; n++ {
		a.addAccount(n)
	}
	return a
}

func (a *edgeAccounts) add(r store.RoutingRow) { a.records.Rows = append(a.records.Rows, r) }

func (a *edgeAccounts) addAccount(n int) {
	a.account, a.domain = uuid.New(), uuid.New()
	a.offers, a.landers, a.rules, a.campaigns = nil, nil, nil, nil
	host := fmt.Sprintf("go%d.example.test", n)
	a.add(&store.RoutingAccount{ID: a.account, Timezone: pick(a.simulated, edgeZones...), BotThreshold: 60})
	a.add(&store.RoutingDomain{ID: a.domain, Host: host, AccountID: uuid.NullUUID{UUID: a.account, Valid: true}, HTTPSOnly: a.chance(10)})
	source := &store.RoutingSource{
		ID: uuid.New(), AccountID: a.account, Name: "Push & Pöp", TokenMacros: json.RawMessage(`{"zone": "{zoneid}", "sub2": "{b}", "Kw": "x"}`),
		CostParam: "bid", ExternalIDParam: "vid",
	}
	network := &store.RoutingNetwork{ID: uuid.New(), AccountID: a.account, Name: "Net ü", ClickParam: pick(a.simulated, "", "clk", "aff sub")}
	a.add(source)
	a.add(network)
	for i := range 5 {
		o := &store.RoutingOffer{
			ID: uuid.New(), AccountID: a.account, Name: fmt.Sprint("Offer ", i), URL: a.url("offer"), IsActive: a.chance(85),
			NetworkID: a.perhaps(50, network.ID),
		}
		if a.chance(4) {
			n := 3
			o.DailyCap = &n
		}
		l := &store.RoutingLander{ID: uuid.New(), AccountID: a.account, Name: "Page " + a.word(), URL: a.url("lander"), IsActive: a.chance(85)}
		if a.chance(5) {
			l.Protection = json.RawMessage(`{"enabled": true, "mode": "click"}`)
		}
		raw, _ := json.Marshal([]m{a.edgeCondition(), a.edgeCondition()})
		r := &store.RoutingRule{ID: uuid.New(), AccountID: a.account, Logic: pick(a.simulated, "and", "or"), Conditions: raw}
		a.offers, a.landers, a.rules = append(a.offers, o), append(a.landers, l), append(a.rules, r.ID)
		a.add(o)
		a.add(l)
		a.add(r)
		a.campaigns = append(a.campaigns, uuid.New())
	}
	for i, id := range a.campaigns {
		c := &store.RoutingCampaign{
			ID: id, AccountID: a.account, DomainID: a.domain, Name: "Campaign " + a.word(), Alias: fmt.Sprint("campaign-", i), Status: "active",
			FlowRotation: pick(a.simulated, "position", "weight"), UniquenessMethod: "ip", UniquenessTTLHours: 24, Streams: a.edgeFlow(),
			BindVisitors: pick(a.simulated, "none", "streams", "streams_landers", "streams_landers_offers"),
			CostModel:    pick(a.simulated, "cpc", "cpm", "auto"), CostValue: decimal.RequireFromString("0.25"), Currency: "EUR",
			SourceID: a.perhaps(70, source.ID),
		}
		if a.chance(50) {
			c.FallbackURL = a.url("fallback")
		}
		if a.chance(80) {
			c.DestinationURL = a.url("destination")
		}
		a.add(c)
		a.all = append(a.all, id)
		a.hosts[id], a.aliases[id] = host, c.Alias
	}
}

func (a *edgeAccounts) perhaps(percent int, id uuid.UUID) uuid.NullUUID {
	if !a.chance(percent) {
		return uuid.NullUUID{}
	}
	return uuid.NullUUID{UUID: id, Valid: true}
}

func (a *edgeAccounts) word() string {
	return pick(a.simulated, "a", "b", "Ab", "ÄÖ", "straße", "x y", "7", "12.5", "-3", "10", "İz", "{x}", "ǅ", "München", "%zz", "ab&c")
}

// url returns an address with random tokens.
func (a *edgeAccounts) url(host string) string {
	tokens := []string{
		"{clickid}", "{sub1}", "{sub2}", "{sub3}", "{_sub1}", "{param.x}", "{country}", "{region}", "{city}", "{language}", "{campaign_id}",
		"{campaign_name}", "{path_id}", "{path_name}", "{offer_id}", "{offer_name}", "{lander_name}", "{network_name}", "{source_name}",
		"{external_id}", "{referrer_domain}", "{user_agent}", "{asn}", "{visitor_id}", "{domain}", "{currency}", "{timestamp}",
		"{date:Y-m-d H:i:s P,Asia/Tokyo}", "{date:D, j F y g:iA}", "{date:c}", "{date}", "{random:1,900}", "{random:-5,5}", "{sample:a|b c|d}",
		"{unknown}", "{{other}}", "{campaign_alias}", "{source_id}", "{_param.x}",
	}
	if a.chance(6) {
		tokens = append(tokens, "{cost}", "{isp}", "{is_unique}", "{date:e}", "{keyword}")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "https://%s%d.test/p", host, a.IntN(9))
	for i := range a.IntN(4) {
		fmt.Fprintf(&b, "%c%d=%s", "?&&&"[i], i, pick(a.simulated, tokens...))
	}
	if a.chance(20) {
		b.WriteString("#top")
	}
	return b.String()
}

// edgeCondition returns a condition, in most cases of a kind that the edge can compare.
func (a *edgeAccounts) edgeCondition() m {
	s := a.simulated
	texts := func(list ...string) []string { return []string{pick(s, list...), pick(s, list...)} }
	if a.chance(3) {
		return pick(s, condition("device_type", "equals", "mobile"), condition("is_unique", "equals", true), condition("header.Accept", "contains", "html"),
			condition("user_agent", "regex", "chrome/1[0-3]"), condition("browser_version", "gte", "100"))
	}
	switch a.IntN(16) {
	case 0:
		return condition("sub1", pick(s, "equals", "not_equals", "contains", "not_contains", "starts_with", "ends_with", "in", "not_in"), texts("a", "b", "ä", "ÖÄ", "i", "STRASSE", "straße"))
	case 1:
		return condition("param.x", pick(s, "contains", "starts_with", "equals", "not_in"), a.word())
	case 2:
		return condition(pick(s, "sub2", "param.x"), pick(s, "gt", "gte", "lt", "lte"), pick(s, 7, 10, -3))
	case 3:
		return condition(pick(s, "sub1", "asn"), "between", []int{-3, 10 + a.IntN(3)})
	case 4:
		return condition("country", pick(s, "in", "not_in"), texts("US", "DE", "FR", "GB"))
	case 5:
		return condition(pick(s, "region", "city"), pick(s, "contains", "equals", "not_equals", "regex"), pick(s, "Bavaria", "münchen", "Texas", "são"))
	case 6:
		return condition("language", pick(s, "in", "not_in"), texts("de", "en", "fr", "pt"))
	case 7:
		return condition("ip", pick(s, "in_cidr", "not_in_cidr", "equals"), []string{"64.0.0.0/3", "2000::/4", "128.0.0.0-160.1.2.3"}[a.IntN(3)])
	case 8:
		return condition(pick(s, "ip_version", "asn"), pick(s, "equals", "not_equals", "lt"), pick(s, 4, 6))
	case 9:
		return condition("user_agent", pick(s, "contains", "not_contains", "regex", "not_regex"), pick(s, "chrome", "firefox|safari", "android (8|9|10)"))
	case 10:
		return condition(pick(s, "referrer", "referrer_domain"), pick(s, "contains", "ends_with", "starts_with"), texts("https", "google.com", "facebook.com", "x"))
	case 11:
		return condition("url", pick(s, "contains", "starts_with"), texts("https://go1", "sub1=a", "http:"))
	case 12:
		return condition("day_of_week", pick(s, "in", "not_in"), []int{1 + a.IntN(7), 1 + a.IntN(7), 1 + a.IntN(7)})
	case 13:
		return condition("hour_of_day", "between", []int{a.IntN(24), a.IntN(24)})
	case 14:
		return condition("schedule", "equals", []m{{"days": []int{1, 3, 5, 1 + a.IntN(7)}, "from": "08:30", "to": fmt.Sprintf("%02d:15", a.IntN(24))}})
	}
	if a.chance(50) {
		return condition(pick(s, "referrer", "sub2", "param.x", "region", "asn", "source_id", "language"), "is_set", a.chance(50))
	}
	return condition(pick(s, "continent", "timezone", "campaign_id"), pick(s, "equals", "not_equals"), pick(s, "EU", "NA", "Europe/Berlin"))
}

func (a *edgeAccounts) edgeFlow() json.RawMessage {
	s := a.simulated
	paths := []m{}
	last := s.IntN(7)
	for i := range last + 1 {
		p := path(pick(s, "offer", "offer", "offer", "lander", "lander", "redirect", "redirect", "campaign"), m{
			"name": fmt.Sprint("Path ", i, " ", a.word()), "stream_type": "regular", "weight": s.IntN(4) * 25, "rule_group": s.IntN(3),
			"is_active": s.chance(90), "collect_clicks": s.chance(95), "logic": pick(s, "and", "or"), "transition": pick(s, "302", "302", "301", "303", "307"),
		})
		switch {
		case s.chance(8):
			p["stream_type"] = "forced"
		case i == last && s.chance(40):
			p["stream_type"] = "default"
		}
		if s.chance(2) {
			p["transition"] = "meta"
		}
		if s.chance(2) {
			p["daily_cap"] = 5
		}
		if s.chance(2) {
			p["action"] = "nothing"
		}
		var filters, rules, to []m
		for range s.IntN(3) {
			filters = append(filters, a.edgeCondition())
		}
		if s.chance(25) {
			rules = append(rules, m{"rule_id": pick(s, s.rules...)})
		}
		for range 1 + s.IntN(3) {
			weight := s.IntN(3) * 50
			switch p["action"] {
			case "lander":
				to = append(to, m{"id": pick(s, s.landers...).ID, "weight": weight})
			case "offer":
				to = append(to, m{"id": pick(s, s.offers...).ID, "weight": weight})
			case "redirect":
				to = append(to, m{"url": a.url("url"), "weight": weight})
			case "campaign":
				p["campaign_id"] = pick(s, s.campaigns...)
			}
		}
		p["filters"], p["rules"], p["destinations"] = filters, rules, to
		paths = append(paths, p)
	}
	raw, _ := json.Marshal(paths)
	return raw
}

// edgePlace is the place of a visitor in the form in which the edge receives it.
type edgePlace struct {
	Country   string `json:"country,omitempty"`
	Region    string `json:"region,omitempty"`
	City      string `json:"city,omitempty"`
	Continent string `json:"continent,omitempty"`
	Timezone  string `json:"timezone,omitempty"`
	ASN       uint32 `json:"asn,omitempty"`
}

// edgeVisitor is a random request.
type edgeVisitor struct {
	target  string
	headers map[string]string
	ip      netip.Addr
	place   edgePlace
	https   bool
}

var edgeAgents = []string{
	chrome, "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "curl/8.4.0", "",
}

// badEscape is a query parameter with an invalid escape.
const badEscape = "bad=%zz"

func (a *edgeAccounts) visitor(campaign uuid.UUID) edgeVisitor {
	s := a.simulated
	v := edgeVisitor{headers: map[string]string{}, https: s.chance(70), ip: netip.AddrFrom4([4]byte{byte(1 + s.IntN(220)), byte(s.Uint32()), byte(s.Uint32()), byte(s.Uint32())})}
	if s.chance(30) {
		raw := [16]byte{0x20 + byte(s.IntN(16)), byte(s.Uint32())}
		for i := 2; i < 16; i++ {
			raw[i] = byte(s.Uint32()) * byte(s.IntN(2))
		}
		v.ip = netip.AddrFrom16(raw)
	}
	query := []string{}
	for _, name := range []string{"sub1", "zone", "sub2", "t3", "X", "x", "vid", "bid", "var9", "SUB4", "kw"} {
		if s.chance(45) {
			value := escapeSome(s, a.word())
			query = append(query, name+"="+value)
		}
	}
	if s.chance(10) {
		query = append(query, "", "=", "lonely", badEscape, "x=%ff%41")
	}
	v.target = "/" + a.aliases[campaign] + pick(s, "", "", "", "/") + "?" + strings.Join(query, "&")
	set := func(name, value string) {
		if value != "" {
			v.headers[name] = value
		}
	}
	set("User-Agent", pick(s, edgeAgents...))
	set("Accept-Language", pick(s, "en-US,en;q=0.9", "de", "pt-BR,pt", "fr-FR", "", "DE-at", "x", "*"))
	set("Referer", pick(s, "", "", "https://www.google.com/", "https://user@News.Example.co.uk:81/a?b", "http://m.facebook.com/x", "android-app://com.x/", "nonsense"))
	set("Accept", visitor.Accept(v.headers["User-Agent"]))
	if s.chance(20) {
		set("Sec-Ch-Ua", `"Chromium";v="138"`)
	}
	v.place = pick(s, edgePlace{"DE", "Bavaria", "München", "EU", "Europe/Berlin", 3320}, edgePlace{"US", "Texas", "Dallas", "NA", "America/Chicago", 5},
		edgePlace{"BR", "São Paulo", "São Paulo", "SA", "America/Sao_Paulo", 4}, edgePlace{Country: "FR", Continent: "EU"}, edgePlace{})
	return v
}

// escapeSome escapes a value for a query, either as browsers do or as careless senders do.
func escapeSome(s *simulated, text string) string {
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == ' ' && s.chance(50):
			b.WriteByte('+')
		case c == '%' || c == '{' || c == '}' || c == '&' || c <= ' ' || c >= 0x80 || s.chance(10):
			fmt.Fprintf(&b, "%%%02x", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// placeHeader is the header from which a placedDescriber takes the visitor's place.
const placeHeader = "X-Test-Place"

// placedDescriber is a describer that takes the visitor's place from a header.
type placedDescriber struct{ Describer }

func (p placedDescriber) Describe(r *http.Request, data *botdata.Set, into *visitor.Description) {
	p.Describer.Describe(r, data, into)
	var at edgePlace
	_ = json.Unmarshal([]byte(r.Header.Get(placeHeader)), &at) // the test wrote the header
	into.Country, into.Region, into.City, into.Continent = at.Country, at.Region, at.City, at.Continent
	into.Timezone, into.ASN = at.Timezone, models.ASN(at.ASN)
}
