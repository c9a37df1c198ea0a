package reporting

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
)

// Orphaned is the answer of GET /reports/orphaned.
type Orphaned struct {
	*OrphanedCampaigns
	*Point
}

// OrphanedCampaigns lists deleted campaigns whose clicks are still stored.
type OrphanedCampaigns struct {
	Range         bind.Range    `json:"range"`
	Rows          []OrphanedRow `json:"rows" doc:"most clicks first"`
	LiveCampaigns int           `json:"liveCampaigns" doc:"how many existing campaigns the account has"`
}

// OrphanedRow is a deleted campaign with its figures.
type OrphanedRow struct {
	CampaignID  uuid.UUID    `json:"campaign_id"`
	Clicks      int64        `json:"clicks" doc:"clicks without bots"`
	BotClicks   int64        `json:"bot_clicks"`
	LPClicks    int64        `json:"lp_clicks"`
	Visitors    int64        `json:"visitors"`
	Cost        models.Money `json:"cost"`
	Conversions int64        `json:"conversions" doc:"approved and pending conversions"`
	Revenue     models.Money `json:"revenue" doc:"approved payouts"`
	FirstSeen   string       `json:"first_seen"`
	LastSeen    string       `json:"last_seen"`
}

func (d Deps) orphaned(c *route.Call) (Orphaned, error) {
	if c.Query.Has("totals_for") {
		return d.orphanedTotals(c)
	}
	list, err := d.reports(c).Orphans(c.Context(), c.Account.ID, c.Window.From, c.Window.End())
	if err != nil {
		return Orphaned{}, err
	}
	live, err := c.Store.Campaigns().Count(c.Context(), c.Account.ID)
	return Orphaned{OrphanedCampaigns: &OrphanedCampaigns{c.Window.Range(), answer.Each(list, orphanedRow), live}}, err
}

func orphanedRow(o report.Orphan) OrphanedRow {
	return OrphanedRow{
		CampaignID: o.CampaignID, Clicks: o.Clicks, BotClicks: o.BotClicks, LPClicks: o.LPClicks, Visitors: o.Visitors,
		Cost: models.NewMoney(o.Cost), Conversions: o.Conversions(), Revenue: models.NewMoney(o.Revenue),
		FirstSeen: answer.Stamp(o.FirstSeen), LastSeen: answer.Stamp(o.LastSeen),
	}
}

func (d Deps) orphanedTotals(c *route.Call) (Orphaned, error) {
	ids, err := idsOf(c.Query.Get("totals_for"))
	if err != nil {
		return Orphaned{}, err
	}
	q := report.Query{AccountID: c.Account.ID, Filters: []report.Filter{report.IDs("campaign_id", ids...)}}
	q.From, q.To = allTime()
	sum, err := d.reports(c).Totals(c.Context(), q)
	return Orphaned{Point: new(point(sum))}, err
}

func idsOf(text string) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	for part := range strings.SplitSeq(text, ",") {
		id, ok := models.ParseID(strings.TrimSpace(part))
		if !ok {
			return nil, models.Invalid("invalid_id", "totals_for must be campaign ids, comma-separated")
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// OrphanedBody lists deleted campaigns.
type OrphanedBody struct {
	CampaignIDs []uuid.UUID `json:"campaign_ids" bad:"invalid_request,too_many" required:"invalid_request" minItems:"1" maxItems:"100"`
}

// OrphanedCleared counts the deleted clicks.
type OrphanedCleared struct {
	Deleted   int   `json:"deleted" doc:"how many campaigns had clicks that were deleted"`
	Clicks    int64 `json:"clicks" doc:"deleted clicks, without bots"`
	BotClicks int64 `json:"bot_clicks" doc:"deleted clicks of bots"`
}

var clearJob = slow.New(jobs.ClearOrphans, func(a jobs.ClearAnswer) OrphanedCleared {
	return OrphanedCleared{a.Found, a.Clicks, a.BotClicks}
})

// allTime returns a window that includes all clicks. It ends in two days, because the clocks of the web processes may be ahead.
func allTime() (from, to time.Time) {
	return time.Unix(0, 0).UTC(), time.Now().UTC().Truncate(time.Hour).AddDate(0, 0, 2)
}

func (d Deps) clearOrphaned(c *route.Call, b OrphanedBody) (OrphanedCleared, error) {
	ids := b.CampaignIDs
	live, err := c.Store.Campaigns().AnyLive(c.Context(), c.Account.ID, ids)
	if err != nil {
		return OrphanedCleared{}, err
	}
	if live {
		return OrphanedCleared{}, models.Errorf(models.KindConflict, "not_orphaned", "one of the campaigns still exists")
	}
	from, to := allTime()
	return clearJob.Start(c, d.Jobs, jobs.ClearArgs{Of: ids, From: from, To: to}, nil)
}
