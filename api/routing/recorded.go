package routing

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/country"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// Recorded returns a Question with the visitor, time, random numbers and binding of a recorded click. Explain answers it with the
// decision of the present flows. The caller fills in the counts of the day for daily caps.
func (x *Explainer) Recorded(click *click.StoredClick, campaign uuid.UUID) Question {
	q := Question{
		Campaign: campaign, Facts: ClickFacts(click, x.Zone(click.AccountID)), Seed: click.RouteSeed,
		Bound: map[uuid.UUID]flow.Binding{},
	}
	if flow.Via(click.Via) == flow.ViaBound { //nolint:gosec // the number is a stored Via
		q.Bound[click.CampaignID] = flow.Binding{Path: click.StreamID, Lander: click.LanderID, Offer: click.OfferID}
	}
	return q
}

// Record records in a click the path, the landing page, the offer and the network of a decision. It also records which path was
// passed over and why.
func Record(c *models.Click, d *flow.Decision) (*Lander, *Offer) {
	page, o := LanderOf(d.Lander), OfferOf(d.Offer)
	if d.Route != nil {
		c.StreamID = d.Route.ID
	}
	c.PassedReason = string(d.Passed.Why)
	if d.Passed.Route != nil {
		c.PassedStreamID = d.Passed.Route.ID
	}
	if page != nil {
		c.LanderID = page.Row.ID
	}
	if o != nil {
		c.OfferID, c.NetworkID = o.Row.ID, o.Row.NetworkID.UUID
	}
	return page, o
}

// ClickRouter returns a function that loads a campaign and returns its router. The router makes the decision that the redirect would
// make for the visitor and the seed of a click, and records the decision in the click.
func ClickRouter(conn db.Conn) func(ctx context.Context, account, campaign uuid.UUID) (func(*models.Click), error) {
	return func(ctx context.Context, account, campaign uuid.UUID) (func(*models.Click), error) {
		records, err := store.CampaignRouting(ctx, conn, account, campaign)
		if err != nil {
			return nil, err
		}
		x := NewExplainer(records)
		return func(c *models.Click) {
			e := x.Explain(x.Recorded(&click.StoredClick{Click: *c, At: models.ClickTime(c.ID)}, campaign))
			c.FlowHash, c.Via = e.FlowHash, int(e.Via)
			Record(c, &e.Decision)
		}, nil
	}
}

// FirstCampaign returns the campaign whose link was clicked.
func FirstCampaign(c *models.Click) uuid.UUID {
	if c.ParentCampaignID != uuid.Nil {
		return c.ParentCampaignID
	}
	return c.CampaignID
}

// ClickFacts returns the values of a recorded click that conditions can check. Values that are not stored with clicks, such as headers,
// are missing.
func ClickFacts(d *click.StoredClick, zone *time.Location) *cond.Facts {
	f := &cond.Facts{}
	f.SetClick(&d.Click)
	f.SetText(cond.SourceID, models.IDText(d.SourceID))
	f.SetText(cond.Continent, country.Continent(d.Country))
	f.SetBool(cond.IsUnique, d.IsUnique)
	f.SetTime(d.At, zone)
	values, _ := url.ParseQuery(d.Params) // parts that cannot be parsed are skipped
	f.SetSource(Sent{Params: values})
	return f
}

// Sent has the parameters and headers of a recorded or made-up request.
type Sent struct{ Params, Headers map[string][]string }

// Param implements cond.Source.
func (s Sent) Param(name string) string {
	for k, list := range s.Params {
		for _, v := range list {
			if strings.EqualFold(k, name) && v != "" && !token.LooksLikeMacro(v) {
				return v
			}
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
