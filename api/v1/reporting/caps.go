package reporting

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/route"
)

// Caps is the answer of GET /stats/caps.
type Caps struct {
	Day  string   `json:"day" doc:"today in the account's time zone, YYYY-MM-DD"`
	Rows []CapRow `json:"rows" doc:"the caps that are filled most come first; at most 500 offers and 500 paths"`
}

// CapRow is an active offer or path with a daily cap.
type CapRow struct {
	Kind         string     `json:"kind" enum:"offer,path" doc:"an offer's cap counts conversions, a path's cap counts clicks"`
	ID           uuid.UUID  `json:"id"`
	Name         string     `json:"name"`
	CampaignID   *uuid.UUID `json:"campaign_id" doc:"the campaign of a path; null for an offer"`
	CampaignName *string    `json:"campaign_name"`
	Used         int        `json:"used" doc:"conversions or clicks of today that count towards the cap"`
	DailyCap     int        `json:"daily_cap"`
}

func (d Deps) caps(c *route.Call) (Caps, error) {
	start := c.Account.DayStart(time.Now())
	out := Caps{Day: start.Format(time.DateOnly), Rows: []CapRow{}}
	offers, err := c.Store.Offers().WithCap(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	paths, err := c.Store.Campaigns().CappedPaths(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	if len(offers) > 0 {
		// The end lies in the future, to include all conversions until now.
		used, err := d.reports(c).ConversionsIn(c.Context(), c.Account.ID, start, start.AddDate(0, 0, 2))
		if err != nil {
			return out, err
		}
		for _, o := range offers {
			out.Rows = append(out.Rows, CapRow{Kind: "offer", ID: o.ID, Name: o.Name, Used: used[o.ID], DailyCap: *o.DailyCap})
		}
	}
	if len(paths) > 0 {
		used, err := d.reports(c).ClicksSince(c.Context(), c.Account.ID, start)
		if err != nil {
			return out, err
		}
		for _, p := range paths {
			out.Rows = append(out.Rows, CapRow{
				Kind: "path", ID: p.ID, Name: p.Name, CampaignID: &p.CampaignID, CampaignName: &p.CampaignName, Used: used[p.ID], DailyCap: p.DailyCap,
			})
		}
	}
	share := func(r CapRow) float64 { return float64(r.Used) / float64(r.DailyCap) }
	slices.SortStableFunc(out.Rows, func(a, b CapRow) int { return cmp.Compare(share(b), share(a)) })
	return out, nil
}
