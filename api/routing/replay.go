package routing

import (
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/flow"
)

// Replayer routes recorded clicks of a campaign again by the present flows. It counts the replayed clicks of each day, but no bots, so
// daily caps of paths and conditions on clicks_today have the same effect as in real routing. Daily caps of offers are ignored, because
// it is unknown which visitors would have converted.
type Replayer struct {
	explainer *Explainer
	campaign  uuid.UUID
	day       string
	clicks    map[uuid.UUID]int // clicks of paths and campaigns on the day, without bots
}

// NewReplayer returns a Replayer for a campaign. It returns a not-found error if the campaign is not among the records.
func NewReplayer(r *store.Routing, campaign uuid.UUID) (*Replayer, error) {
	x := NewExplainer(r)
	if !x.Has(campaign) {
		return nil, models.NotFound("campaign")
	}
	return &Replayer{explainer: x, campaign: campaign}, nil
}

// Route returns the destination of a click by the present flows. Clicks must come in the order of their times.
func (p *Replayer) Route(click *click.StoredClick) models.RoutedTo {
	if day := click.At.In(p.explainer.Zone(click.AccountID)).Format(time.DateOnly); day != p.day {
		p.day, p.clicks = day, map[uuid.UUID]int{}
	}
	q := p.explainer.Recorded(click, p.campaign)
	q.Clicks = p.clicks
	e := p.explainer.Explain(q)
	to := models.RoutedTo{CampaignID: e.Stages[len(e.Stages)-1].CampaignID, To: destinationKind(e.Via)}
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

// RecordedDestination returns the destination that a recorded click had.
func RecordedDestination(c *click.StoredClick) models.RoutedTo {
	to := models.RoutedTo{
		CampaignID: c.CampaignID, StreamID: c.StreamID, LanderID: c.LanderID, To: destinationKind(flow.Via(c.Via)), //nolint:gosec // the number is a stored Via
	}
	if c.LanderID == uuid.Nil {
		to.OfferID = c.OfferID
	}
	return to
}

func destinationKind(via flow.Via) string {
	switch via {
	case flow.ViaNone, flow.ViaFallback, flow.ViaDestination:
		return via.String()
	default:
		return "path"
	}
}
