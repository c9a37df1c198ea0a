package routing

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/clicklog"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/flow"
)

// Replayer routes recorded clicks of a campaign once more. Each click comes after the earlier clicks of its day: daily caps
// of paths and clicks_today count as they would have. Daily caps of offers do not count, because it is unknown who would
// have converted.
type Replayer struct {
	explainer *Explainer
	campaign  uuid.UUID
	day       string
	clicks    map[uuid.UUID]int // of paths and campaigns, on the day
}

// NewReplayer makes a Replayer for a campaign that is among the records.
func NewReplayer(r *store.Routing, campaign uuid.UUID) (*Replayer, error) {
	x := NewExplainer(r)
	if !x.Has(campaign) {
		return nil, models.NotFound("campaign")
	}
	return &Replayer{explainer: x, campaign: campaign}, nil
}

// Route decides for a click. Clicks come in the order of their times.
func (p *Replayer) Route(click *clicklog.StoredClick) models.RoutedTo {
	if day := click.At.In(p.explainer.Zone(click.AccountID)).Format(time.DateOnly); day != p.day {
		p.day, p.clicks = day, map[uuid.UUID]int{}
	}
	q := p.explainer.Recorded(click, p.campaign)
	q.Clicks = p.clicks
	e := p.explainer.Explain(q)
	to := models.RoutedTo{CampaignID: e.Stages[len(e.Stages)-1].CampaignID, To: toOf(e.Via)}
	if e.Route != nil {
		to.StreamID = e.Route.ID
	}
	if l := LanderOf(e.Lander); l != nil {
		to.LanderID = l.Row.ID
	} else if o := OfferOf(e.Offer); o != nil {
		to.OfferID = o.Row.ID
	}
	if !click.IsBot {
		p.clicks[to.CampaignID]++
		if e.Route != nil {
			p.clicks[to.StreamID]++
		}
	}
	return to
}

// WentTo is where a recorded click went.
func WentTo(c *clicklog.StoredClick) models.RoutedTo {
	to := models.RoutedTo{
		CampaignID: c.CampaignID, StreamID: c.StreamID, LanderID: c.LanderID, To: toOf(flow.Via(c.Via)), //nolint:gosec // it was one
	}
	if c.LanderID == uuid.Nil {
		to.OfferID = c.OfferID
	}
	return to
}

// toOf is what a way leads to. The last resorts have names of their own.
func toOf(via flow.Via) string {
	switch via {
	case flow.ViaNone, flow.ViaFallback, flow.ViaDestination:
		return via.String()
	default:
		return "path"
	}
}
