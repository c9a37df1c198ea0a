package reporting

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/click"
	"switchyard/api/click/visitor"
	"switchyard/api/route"
	"switchyard/api/routing"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/postback"
	"switchyard/models/token"
)

// TestClick returns the route POST /campaigns/{id}/test-click.
func TestClick(d Deps) route.Route {
	return route.New("POST", "/campaigns/{id}/test-click", "Campaigns",
		"try a tracking link without recording anything, and report step by step what happened", route.HandleRecordBody((*store.Store).Campaigns, d.testClick),
		route.Codes("400 invalid_url too_long"), answer.IDCodes).WithShare(route.Reads).WithOptionalBody()
}

// TestClickBody describes a click. Every field may be left out.
type TestClickBody struct {
	URL       string `json:"url" trim:"true" maxLength:"8000" doc:"the link as visitors of the source open it, with the macros filled in; left out: the campaign's tracking_url with made-up values"`
	IP        string `json:"ip" trim:"true" doc:"IP address of the visitor; left out: an address that belongs to no country"`
	UserAgent string `json:"user_agent" trim:"true" maxLength:"1000" doc:"left out: a common browser"`
	Language  string `json:"language" trim:"true" maxLength:"200" doc:"Accept-Language"`
	Referrer  string `json:"referrer" trim:"true" maxLength:"2000"`
}

// TestStep is a step of a test.
type TestStep struct {
	Step   string `json:"step"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail" doc:"text for people"`
}

type steps []TestStep

func (s *steps) add(step string, ok bool, format string, args ...any) {
	*s = append(*s, TestStep{step, ok, fmt.Sprintf(format, args...)})
}

// TestedClick is the result of a test click.
type TestedClick struct {
	Test  bool       `json:"test" doc:"always true: nothing was recorded or counted"`
	URL   string     `json:"url" doc:"the link that was tried"`
	Steps []TestStep `json:"steps" doc:"in order: domain, campaign, parameters, visitor, decision, destination. If the link does not lead to the campaign, the steps after the failed one are left out"`
	Click *TestRead  `json:"click" doc:"what would be recorded; null if the link does not lead to the campaign"`
	RouteTrace
	HTTPStatus  int         `json:"http_status" doc:"status of the answer; 0 if the link does not lead to the campaign"`
	Destination string      `json:"destination" doc:"the address to which the visitor is sent, with its tokens filled in; empty: the visitor is not sent anywhere"`
	Offers      []TestOffer `json:"offers" doc:"the destinations of the landing page's slots"`
}

// TestRead has the values that were read from a link and its visitor.
type TestRead struct {
	ExternalID string       `json:"external_id" doc:"the source's click id"`
	Cost       models.Money `json:"cost"`
	Currency   string       `json:"currency"`
	Params     []TestParam  `json:"params"`
	Country    string       `json:"country"`
	DeviceType string       `json:"device_type"`
	OS         string       `json:"os"`
	Browser    string       `json:"browser"`
	IsBot      bool         `json:"is_bot"`
	BotScore   int          `json:"bot_score"`
	BotReason  string       `json:"bot_reason"`
}

// TestParam is a parameter of a link.
type TestParam struct {
	Name  string  `json:"name"`
	Value string  `json:"value" doc:"the value that is read; empty if it is a macro that was not filled in"`
	Field *string `json:"field" doc:"the field that the parameter fills: external_id, cost, currency, keyword, sub1 to {lastSub}; null: the parameter is used only in conditions and tokens"`
}

// TestOffer is the destination of a slot of a landing page.
type TestOffer struct {
	Slot    int        `json:"slot"`
	OfferID *uuid.UUID `json:"offer_id" doc:"null: the destination is an address, not an offer"`
	Offer   string     `json:"offer"`
	URL     string     `json:"url" doc:"the address with its tokens filled in"`
}

func (d Deps) testClick(c *route.Call, campaign models.Campaign, b TestClickBody) (TestedClick, error) {
	req, err := b.request(c, d.Link(campaign), campaign.SourceLink)
	if err != nil {
		return TestedClick{}, err
	}
	link, _, _ := strings.Cut(strings.TrimPrefix(req.URL.Path, "/"), "/") // an alias or a slug
	records, err := store.LinkRouting(c.Context(), c.Store.Conn(), c.Account.ID, campaign.ID, models.TrimLink(link))
	if err != nil {
		return TestedClick{}, err
	}
	x := routing.NewExplainer(records)
	var day routing.Question // only the day's counts are set
	if err := d.useOfDay(c, x, time.Now(), &day); err != nil {
		return TestedClick{}, err
	}
	x.Cap(day.Conversions)
	t := click.NewTester(d.Visitors).Click(x, day.Clicks, req)
	out := TestedClick{
		Test: true, URL: req.URL.String(), RouteTrace: RouteTrace{Campaigns: []RouteStage{}}, Offers: []TestOffer{},
	}
	log := (*steps)(&out.Steps)
	if !log.address(req, &t, campaign) {
		return out, nil
	}
	log.params(req, &t, campaign)
	log.visitor(&t)
	out.Click, out.RouteTrace = testRead(&t), routeTrace(t.Explanation)
	out.HTTPStatus, out.Destination = t.Status, t.Click.Destination
	log.decision(&t, out.Decision)
	out.Offers = answer.Each(t.Offers, func(o click.TrialOffer) TestOffer {
		return TestOffer{o.Slot, answer.OrNull(o.OfferID), o.Offer, o.Destination}
	})
	return out, nil
}

const (
	usualAgent = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Chrome/138.0.0.0 Safari/537.36"
	usualLanguage = "en-US,en;q=0.9"
)

func (b TestClickBody) request(c *route.Call, link string, source models.SourceLink) (*http.Request, error) {
	text := cmp.Or(b.URL, sampleLink(link, source))
	u, err := testURL(text)
	if err != nil {
		return nil, err
	}
	ip, err := netip.ParseAddr(cmp.Or(b.IP, click.TrialAddress))
	if err != nil {
		return nil, models.Invalid("invalid_input", "ip must be an address")
	}
	req, err := http.NewRequestWithContext(c.Context(), http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errTestURL
	}
	req.URL.RawQuery = u.RawQuery
	req.RemoteAddr = netip.AddrPortFrom(ip.WithZone(""), 1).String()
	req.RequestURI = req.URL.RequestURI()
	agent := postback.Clean(cmp.Or(b.UserAgent, usualAgent), maxHeader)
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Accept", visitor.Accept(agent))
	req.Header.Set("Accept-Language", postback.Clean(cmp.Or(b.Language, usualLanguage), maxHeader))
	req.Header.Set("Accept-Encoding", "gzip, deflate, br")
	if b.Referrer != "" {
		req.Header.Set("Referer", postback.Clean(b.Referrer, maxHeader))
	}
	return req, nil
}

const maxHeader = 2000 // bytes

var errTestURL = models.Invalid("invalid_url", "url must be an http(s) address")

func testURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errTestURL
	}
	return u, nil
}

// sampleLink returns a tracking link with recognizable test values in place of its macros.
func sampleLink(link string, source models.SourceLink) string {
	var query []byte
	for _, m := range source.Params() {
		if len(query) > 0 {
			query = append(query, '&')
		}
		value := "test-" + m.Param
		if strings.EqualFold(m.Param, cmp.Or(source.CostParam, models.DefaultCostParam)) {
			value = "0.01"
		}
		query = append(token.AppendEscaped(query, m.Param), '=')
		query = token.AppendEscaped(query, value)
	}
	if len(query) == 0 {
		return link
	}
	return link + "?" + string(query)
}

// address adds the step domain and, if the domain is known, the step campaign. It reports whether the link leads to the wanted
// campaign.
func (s *steps) address(req *http.Request, t *click.Trial, want models.Campaign) bool {
	if t.Domain == nil {
		s.add("domain", false, "%.253s is no shared link domain and no verified domain of the account", req.URL.Hostname())
		return false
	}
	s.add("domain", true, "%s", t.Domain.Host)
	switch {
	case t.Campaign == nil && t.Smart != nil:
		s.add("campaign", false, "%.100s is a smartlink on this domain", t.Word)
	case t.Campaign == nil && want.Status != models.CampaignActive && want.Alias == t.Word:
		s.add("campaign", false, "the campaign is %s and has no fallback_url", want.Status)
	case t.Campaign == nil:
		s.add("campaign", false, "%.100q is no alias on this domain", t.Word)
	case t.Campaign.Row.ID != want.ID:
		s.add("campaign", false, "the link leads to another campaign: %s", t.Campaign.Row.Name)
	case !t.Campaign.Active():
		s.add("campaign", false, "the campaign is paused: visitors go to its fallback_url")
		return true
	default:
		s.add("campaign", true, "%s", t.Campaign.Row.Name)
		return true
	}
	return false
}

// params adds the step parameters: whether the query was read completely.
func (s *steps) params(req *http.Request, t *click.Trial, campaign models.Campaign) {
	var missing []string
	source := campaign.SourceLink
	if source.ExternalIDMacro != "" && t.Click.ExternalID == "" {
		missing = append(missing, "the source's click id")
	}
	if source.CostMacro != "" && campaign.CostModel == "auto" && t.Click.Cost.IsZero() {
		missing = append(missing, "a cost")
	}
	for _, p := range t.Params {
		if p.Value == "" && token.LooksLikeMacro(p.Sent) {
			missing = append(missing, fmt.Sprintf("%.100s (still the macro %.100s)", p.Name, p.Sent))
		}
	}
	if req.URL.Fragment != "" {
		missing = append(missing, "the part after #, which no browser sends: a macro with # was not filled in")
	}
	if len(missing) > 0 {
		s.add("parameters", false, "not read: %s", strings.Join(missing, ", "))
		return
	}
	v := &t.Click
	s.add("parameters", true, "%d read; external id %q, cost %s %s", len(t.Params), v.ExternalID, v.Cost, v.Currency)
}

func (s *steps) visitor(t *click.Trial) {
	v := &t.Click
	if v.IsBot {
		s.add("visitor", false, "counted as a bot: %s, score %d", v.BotReason, v.BotScore)
		return
	}
	s.add("visitor", true, "country %s, %s, %s, %s; bot score %d",
		cmp.Or(v.Country, "unknown"), v.DeviceType, v.OS, v.Browser, v.BotScore)
}

// decision adds the steps decision and destination.
func (s *steps) decision(t *click.Trial, decision *RouteDecision) {
	switch {
	case decision.Path != "":
		s.add("decision", true, "%s path %q, action %s", decision.Via, decision.Path, decision.Action)
	default:
		s.add("decision", false, "no path takes this visitor: %s", decision.Via)
	}
	switch {
	case t.Click.Destination != "":
		s.add("destination", true, "%s", t.Click.Destination)
	case decision.Action == "nothing" && decision.Path != "":
		s.add("destination", true, "the path answers with status %d and does not redirect the visitor", t.Status)
	default:
		s.add("destination", false, "nowhere: the visitor gets the status %d", t.Status)
	}
}

func testRead(t *click.Trial) *TestRead {
	v := &t.Click
	return &TestRead{
		ExternalID: v.ExternalID, Cost: models.NewMoney(v.Cost), Currency: v.Currency, Country: v.Country,
		DeviceType: v.DeviceType, OS: v.OS, Browser: v.Browser, IsBot: v.IsBot, BotScore: v.BotScore, BotReason: v.BotReason,
		Params: answer.Each(t.Params, func(p click.TrialParam) TestParam {
			return TestParam{Name: p.Name, Value: p.Value, Field: answer.OrNull(p.Field)}
		}),
	}
}
