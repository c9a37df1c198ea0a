package reporting

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models/bind"
)

// RepeatIPs is the answer of GET /logs/repeat-ips.
type RepeatIPs struct {
	Range   bind.Range    `json:"range"`
	MinHits int           `json:"min_hits" doc:"the minimum that was applied: rows has only addresses with at least this number of clicks"`
	Of      string        `json:"of" doc:"which clicks are counted" enum:"clicks,smartlink-clicks"`
	Rows    []RepeatIPRow `json:"rows" doc:"most clicks first"`
}

// RepeatIPRow is an address that clicked more than once. The counts cover all its clicks in the window, including bots.
type RepeatIPRow struct {
	IP         string `json:"ip"`
	Hits       int64  `json:"hits" doc:"all clicks of the address"`
	BotClicks  int64  `json:"bot_clicks" doc:"how many of the clicks came from bots"`
	Visitors   int64  `json:"visitors" doc:"number of visitors, told apart by cookie, or by fingerprint if there is no cookie"`
	UserAgents int64  `json:"user_agents"`
	Campaigns  int64  `json:"campaigns" doc:"on how many campaigns the address clicked; with link, on how many smartlinks"`
	Sources    int64  `json:"sources"`
	Country    string `json:"country"`
	ISP        string `json:"isp"`
	FirstSeen  string `json:"first_seen"`
	LastSeen   string `json:"last_seen"`
}

var repeatParams = []route.Param{
	route.Number("min_hits", 2, 2, 100_000, "minimum number of clicks of an address"),
	route.Number("limit", 500, 1, 2000, "addresses"),
	{Name: "campaign", Default: "all", Doc: "a campaign's id, or all"},
	{Name: "source", Default: "all", Doc: "a traffic source's id, or all"},
	{
		Name: "link",
		Doc:  "a smartlink's id, or the word links for all smartlinks; clicks of smartlinks are then counted instead of clicks of campaigns",
	},
}

func (d Deps) repeatIPs(c *route.Call) (RepeatIPs, error) {
	w, end := clampToHistory(c)
	q := report.AddressQuery{
		AccountID: c.Account.ID, From: w.From, To: end, MinHits: c.Numbers["min_hits"], Limit: c.Numbers["limit"],
	}
	var err error
	if q.Campaign, err = idOrAll(c, "campaign"); err != nil {
		return RepeatIPs{}, err
	}
	if q.SourceID, err = idOrAll(c, "source"); err != nil {
		return RepeatIPs{}, err
	}
	if q.Smartlinks, q.Link, err = linkOf(c); err != nil {
		return RepeatIPs{}, err
	}
	list, err := d.reports(c).RepeatAddresses(c.Context(), q)
	counted := ofClicks
	if q.Smartlinks {
		counted = ofSmartlinks
	}
	return RepeatIPs{w.Range(), q.MinHits, counted, answer.Each(list, repeatIPRow)}, err
}

func repeatIPRow(a report.Address) RepeatIPRow {
	return RepeatIPRow{
		IP: a.IP, Hits: a.Hits, BotClicks: a.BotClicks, Visitors: a.Visitors, UserAgents: a.UserAgents,
		Campaigns: a.Campaigns, Sources: a.Sources, Country: a.Country, ISP: a.ISP,
		FirstSeen: answer.Stamp(a.FirstSeen), LastSeen: answer.Stamp(a.LastSeen),
	}
}

// ofClicks and ofSmartlinks are values of the field "of". everyLink is the value of the parameter "link" for all
// smartlinks.
const (
	ofClicks     = "clicks"
	ofSmartlinks = "smartlink-clicks"
	everyLink    = "links"
)

// linkOf parses the parameter link. Without it, the clicks of campaigns are read. The zero id stands for all smartlinks.
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
	return true, id, checkSmartlink(c, id)
}

// checkSmartlink refuses a smartlink that the account does not have. It accepts the zero id.
func checkSmartlink(c *route.Call, id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	_, err := c.Store.Smartlinks().Find(c.Context(), c.Account.ID, id)
	return err
}

// idOrAll parses an id in a parameter. A missing, empty or "all" parameter gives the zero id.
func idOrAll(c *route.Call, name string) (uuid.UUID, error) {
	if text := c.Query.Get(name); text == "" || text == "all" {
		return uuid.Nil, nil
	}
	return c.QueryID(name)
}

// clampToHistory returns the part of the call's window that lies in the plan's click history. The window is empty if all of it
// lies before the history.
func clampToHistory(c *route.Call) (w bind.Window, end time.Time) {
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
