package routing

import (
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db/clicklog"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/country"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// Recorded asks how a recorded click is routed by what is routed by now: with its visitor, its time, its draws, and what
// it was bound to. Its day's counts are the caller's.
func (x *Explainer) Recorded(click *clicklog.StoredClick, campaign uuid.UUID) Question {
	q := Question{
		Campaign: campaign, Facts: ClickFacts(click, x.Zone(click.AccountID)), Seed: click.RouteSeed,
		Bound: map[uuid.UUID]flow.Binding{},
	}
	if flow.Via(click.Via) == flow.ViaBound { //nolint:gosec // it was one
		q.Bound[click.CampaignID] = flow.Binding{Path: click.StreamID, Lander: click.LanderID, Offer: click.OfferID}
	}
	return q
}

// FirstCampaign is the campaign whose link was clicked.
func FirstCampaign(c *models.Click) uuid.UUID {
	if c.ParentCampaignID != uuid.Nil {
		return c.ParentCampaignID
	}
	return c.CampaignID
}

// ClickFacts returns the facts that conditions saw of a click, as far as they were recorded.
func ClickFacts(d *clicklog.StoredClick, zone *time.Location) *cond.Facts {
	f := &cond.Facts{}
	f.SetClick(&d.Click)
	f.SetText(cond.SourceID, models.IDText(d.SourceID))
	f.SetText(cond.Continent, country.Continent(d.Country))
	f.SetBool(cond.IsUnique, d.IsUnique)
	f.SetTime(d.At, zone)
	values, _ := url.ParseQuery(d.Params) // the redirect left out what cannot be read, too
	f.SetSource(Sent{Params: values})
	return f
}

// Sent are the parameters and headers of a visitor who is described.
type Sent struct{ Params, Headers map[string][]string }

// Param implements cond.Source.
func (s Sent) Param(name string) string {
	for k, v := range s.Params {
		if strings.EqualFold(k, name) && len(v) > 0 && !token.LooksLikeMacro(v[0]) {
			return v[0]
		}
	}
	return ""
}

// Header implements cond.Source.
func (s Sent) Header(name string) string {
	if v := s.Headers[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}
