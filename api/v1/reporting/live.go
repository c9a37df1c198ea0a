package reporting

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models/bind"
)

const listedSources = 20

// Breakdown is the answer of GET /stats/breakdown.
type Breakdown struct {
	Range bind.Range     `json:"range"`
	Rows  []BreakdownRow `json:"rows" doc:"most clicks first, at most 20"`
}

// BreakdownRow is a traffic source with its figures. Clicks without a source have their own row.
type BreakdownRow struct {
	SourceID *uuid.UUID `json:"source_id" doc:"null for clicks without a source"`
	Name     *string    `json:"name"`
	answer.Figures
}

func (d Deps) breakdown(c *route.Call) (Breakdown, error) {
	const dimension = "source_id"
	q := InWindow(c)
	q.Dimensions, q.Limit = []string{dimension}, listedSources
	rows, err := d.reports(c).Performance(c.Context(), q)
	if err != nil {
		return Breakdown{}, err
	}
	labels, err := labelsOf(c, []string{dimension}, rows)
	return Breakdown{c.Window.Range(), answer.Each(rows, func(r report.Row) BreakdownRow {
		id, _ := uuid.Parse(r.Dims[0]) // the zero id means no source
		return BreakdownRow{answer.OrNull(id), answer.OrNull(labels[dimension][r.Dims[0]]), r.Row()}
	})}, err
}

// Live is the answer of GET /stats/live.
type Live struct {
	Visitors      int64          `json:"visitors" doc:"people who clicked within the window, without bots"`
	Views         int64          `json:"views" doc:"how often these people clicked"`
	WindowMinutes int            `json:"windowMinutes" doc:"length of the window in minutes"`
	Pages         []LivePage     `json:"pages" doc:"the pages that the clicks led to, most visitors first, at most 100"`
	Countries     []LiveCountry  `json:"countries" doc:"most visitors first"`
	Devices       []LiveDevice   `json:"devices" doc:"most visitors first"`
	Campaigns     []LiveCampaign `json:"campaigns" doc:"most visitors first, at most 100"`
	PerMinute     []LiveMinute   `json:"per_minute" doc:"each minute of the window, oldest first"`
}

// LiveCount counts visitors and their clicks.
type LiveCount struct {
	Visitors int64 `json:"visitors"`
	Views    int64 `json:"views"`
}

// LivePage is a landing page, or an offer to which visitors were sent directly.
type LivePage struct {
	Kind *string    `json:"kind" doc:"lander or offer; null for clicks that led to neither"`
	ID   *uuid.UUID `json:"id"`
	Name *string    `json:"name"`
	LiveCount
}

// LiveCountry is a country with visitors.
type LiveCountry struct {
	Country string `json:"country" doc:"two letters; empty: unknown"`
	LiveCount
}

// LiveCampaign is a campaign with visitors.
type LiveCampaign struct {
	ID   uuid.UUID `json:"id"`
	Name *string   `json:"name"`
	LiveCount
}

// LiveMinute is a minute of the window.
type LiveMinute struct {
	At string `json:"at" doc:"when the minute began"`
	LiveCount
}

// LiveDevice is a type of device with visitors.
type LiveDevice struct {
	Device string `json:"device" doc:"empty: unknown"`
	LiveCount
}

const listedPages = 100

func (d Deps) live(c *route.Call) (Live, error) {
	minutes, now := c.Numbers["minutes"], time.Now()
	since := now.Add(-time.Duration(minutes) * time.Minute)
	found, err := d.reports(c).VisitorsSince(c.Context(), c.Account.ID, since, now.Add(time.Hour))
	if err != nil {
		return Live{}, err
	}
	count := func(p report.Presence) LiveCount { return LiveCount{p.Visitors, p.Views} }
	pages := found.Pages[:min(len(found.Pages), listedPages)]
	campaigns := found.Campaigns[:min(len(found.Campaigns), listedPages)]
	names, err := liveNames(c, pages, campaigns)
	return Live{
		Visitors: found.Visitors, Views: found.Views, WindowMinutes: minutes,
		Pages: answer.Each(pages, func(p report.Presence) LivePage {
			return LivePage{answer.OrNull(p.Kind), answer.OrNull(p.Page), answer.OrNull(names[p.Page.String()]), count(p)}
		}),
		Countries: answer.Each(found.Countries, func(p report.Presence) LiveCountry {
			return LiveCountry{p.Country, count(p)}
		}),
		Devices: answer.Each(found.Devices, func(p report.Presence) LiveDevice { return LiveDevice{p.Device, count(p)} }),
		Campaigns: answer.Each(campaigns, func(p report.Presence) LiveCampaign {
			return LiveCampaign{p.Campaign, answer.OrNull(names[p.Campaign.String()]), count(p)}
		}),
		PerMinute: perMinute(since, now, found.Minutes, count),
	}, err
}

// perMinute returns each minute of a period, including minutes without visitors.
func perMinute(from, to time.Time, found []report.Presence, count func(report.Presence) LiveCount) []LiveMinute {
	byMinute := map[int64]report.Presence{}
	for _, p := range found {
		byMinute[p.Minute.Unix()] = p
	}
	var out []LiveMinute
	for at := from.UTC().Truncate(time.Minute).Add(time.Minute); !at.After(to); at = at.Add(time.Minute) {
		out = append(out, LiveMinute{answer.Stamp(at), count(byMinute[at.Unix()])})
	}
	return out
}

func liveNames(c *route.Call, pages, campaigns []report.Presence) (map[string]string, error) {
	ids := map[string][]string{"campaign_id": answer.Each(campaigns, func(p report.Presence) string { return p.Campaign.String() })}
	for _, p := range pages { // a page without a kind has no name
		ids[p.Kind+"_id"] = append(ids[p.Kind+"_id"], p.Page.String())
	}
	return namesOf(c, ids)
}
