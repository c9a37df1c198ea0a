package reporting

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/report"
)

// RepeatIPs is the answer of GET /logs/repeat-ips.
type RepeatIPs struct {
	Range   bind.Range    `json:"range"`
	MinHits int           `json:"min_hits" doc:"the value applied"`
	Of      string        `json:"of" doc:"which clicks are counted" enum:"clicks,smartlink-clicks"`
	Rows    []RepeatIPRow `json:"rows" doc:"most clicks first"`
}

// RepeatIPRow is an address that clicked more than once. Its counts are of all its clicks in the window, bots included.
type RepeatIPRow struct {
	IP         string `json:"ip"`
	Hits       int64  `json:"hits" doc:"clicks"`
	BotClicks  int64  `json:"bot_clicks" doc:"of them, by bots"`
	Visitors   int64  `json:"visitors" doc:"by cookie, else by fingerprint"`
	UserAgents int64  `json:"user_agents"`
	Campaigns  int64  `json:"campaigns" doc:"how many it clicked on; with link, smartlinks"`
	Sources    int64  `json:"sources"`
	Country    string `json:"country"`
	ISP        string `json:"isp"`
	FirstSeen  string `json:"first_seen"`
	LastSeen   string `json:"last_seen"`
}

// The bounds of GET /logs/repeat-ips.
const (
	hitsLeast, hitsMost           = 2, 100_000
	addressesShown, addressesMost = 500, 2000
)

var repeatParams = []route.Param{
	{Name: "min_hits", Type: "integer", Default: "2", Doc: "clicks of an address at least, 2-100000"},
	{Name: "limit", Type: "integer", Default: "500", Doc: "addresses, 1-2000"},
	{Name: "campaign", Default: "all", Doc: "a campaign's id, or all"},
	{Name: "source", Default: "all", Doc: "a traffic source's id, or all"},
	{Name: "link", Doc: "a smartlink's id, or links for every smartlink: counts smartlink clicks instead"},
}

func repeatIPs(c *route.Call) (RepeatIPs, error) {
	w, end := heldToHistory(c)
	q := report.AddressQuery{AccountID: c.Account.ID, From: w.From, To: end}
	var err error
	if q.MinHits, err = bind.Int(c.Query, "min_hits", hitsLeast, hitsLeast, hitsMost); err != nil {
		return RepeatIPs{}, err
	}
	if q.Limit, err = bind.Int(c.Query, "limit", addressesShown, 1, addressesMost); err != nil {
		return RepeatIPs{}, err
	}
	if q.Campaign, err = idOrAll(c, "campaign"); err != nil {
		return RepeatIPs{}, err
	}
	if q.SourceID, err = idOrAll(c, "source"); err != nil {
		return RepeatIPs{}, err
	}
	if q.Smartlinks, q.Link, err = linkOf(c); err != nil {
		return RepeatIPs{}, err
	}
	list, err := report.RepeatAddresses(c.Context(), c.Store.Conn(), q)
	out := RepeatIPs{Range: w.Range(), MinHits: q.MinHits, Of: ofClicks, Rows: make([]RepeatIPRow, 0, len(list))}
	if q.Smartlinks {
		out.Of = ofSmartlinks
	}
	for _, a := range list {
		out.Rows = append(out.Rows, RepeatIPRow{
			IP: a.IP, Hits: a.Hits, BotClicks: a.BotClicks, Visitors: a.Visitors, UserAgents: a.UserAgents,
			Campaigns: a.Campaigns, Sources: a.Sources, Country: a.Country, ISP: a.ISP,
			FirstSeen: answer.Stamp(a.FirstSeen), LastSeen: answer.Stamp(a.LastSeen),
		})
	}
	return out, err
}

// Which clicks GET /logs/repeat-ips counts.
const (
	ofClicks     = "clicks"
	ofSmartlinks = "smartlink-clicks"
	everyLink    = "links"
)

// linkOf reads whose clicks are wanted: those of campaigns, of every smartlink, or of one.
func linkOf(c *route.Call) (smartlinks bool, id uuid.UUID, err error) {
	switch c.Query.Get("link") {
	case "":
		return false, id, nil
	case everyLink:
		return true, id, nil
	}
	if id, err = c.QueryID("link"); err != nil {
		return false, id, err
	}
	return true, id, ownLink(c, id)
}

// ownLink refuses a smartlink that the account does not have; no id is every smartlink.
func ownLink(c *route.Call, id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	_, err := c.Store.Smartlinks().Find(c.Context(), c.Account.ID, id)
	return err
}

// idOrAll reads an id; none and all are the zero id, which nobody may ask for.
func idOrAll(c *route.Call, name string) (uuid.UUID, error) {
	if text := c.Query.Get(name); text == "" || text == "all" {
		return uuid.Nil, nil
	}
	return c.QueryID(name)
}

// heldToHistory is the call's window from the start of the plan's click history on, and its end. A window that is older
// as a whole is empty.
func heldToHistory(c *route.Call) (w bind.Window, end time.Time) {
	w, start := c.Window, historyStart(c)
	end = w.End()
	if w.From.Before(start) {
		w.From = start
		if w.To.Before(start) {
			w.To, end = start, start
		}
	}
	return w, end
}
