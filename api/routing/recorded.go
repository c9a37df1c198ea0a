package routing

import (
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/cond"
	"switchyard/models/country"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// Recorded returns a Question with the visitor, time, random numbers and binding of a recorded click. Explain answers it with the
// decision of the present flows. The caller fills in the counts of the day.
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
	values, _ := url.ParseQuery(d.Params) // parts that cannot be parsed are skipped, as in the redirect
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
