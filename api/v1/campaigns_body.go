package v1

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
	"switchyard/models/form"
)

// CampaignBody is the body of POST /campaigns.
type CampaignBody struct{ form.CampaignBody }

// Preset sets the defaults of a new campaign in the caller's account.
func (b *CampaignBody) Preset(c *route.Call) {
	fresh := models.NewCampaign(c.Account)
	b.Status, b.CampaignSettings = fresh.Status, fresh.CampaignSettings
}

// CampaignPatch is the body of PATCH /campaigns/{id}. A field that is left out keeps its value. editCampaign checks a changed
// alias: an old alias in a form that is refused today may be sent unchanged.
type CampaignPatch struct {
	Name   string `json:"name" bad:"invalid_input" optional:"true" null:"empty" empty:"name_required" trim:"true" maxLength:"255"`
	Alias  string `json:"alias" bad:"invalid_alias" optional:"true" null:"empty"`
	Status string `json:"status" bad:"invalid_status" optional:"true" null:"empty" trim:"true" enum:"active,paused,archived" doc:"the campaign's new status"`

	Revision string `json:"revision" optional:"true" maxLength:"64" doc:"the revision that was read: 409 stale if another caller has changed the settings since. Left out: not checked"`

	models.CampaignSettings `optional:"true" null:"empty"`
}

func patchOf(c *models.Campaign) CampaignPatch {
	return CampaignPatch{Name: c.Name, Alias: c.Alias, Status: c.Status, CampaignSettings: c.CampaignSettings}
}

// revisionOf returns a hash of the settings, without the flow.
func revisionOf(c *models.Campaign) string {
	raw, err := json.Marshal(patchOf(c))
	if err != nil {
		panic("v1: " + err.Error()) // cannot happen
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12])
}

func editCampaign(c *models.Campaign, body []byte) error {
	p := patchOf(c)
	if err := bind.Decode(body, &p); err != nil {
		return err
	}
	if p.Revision != "" && p.Revision != revisionOf(c) {
		return models.Conflict("stale", "another caller has changed the settings of the campaign since: read them again")
	}
	if p.Alias != c.Alias {
		if err := models.CheckAlias(p.Alias); err != nil {
			return models.Invalid("invalid_alias", "%s", err)
		}
	}
	c.Name, c.Alias, c.Status, c.CampaignSettings = p.Name, p.Alias, p.Status, p.CampaignSettings
	return form.CheckUniqueness(c)
}

// paths returns the paths of the new campaign, from Streams, the saved flow, or the landing page and the offer.
func (b CampaignBody) paths(c *route.Call) ([]flow.Path, error) {
	switch {
	case len(b.Streams) > 0 && string(b.Streams) != "null":
		return flow.Parse(b.Streams)
	case b.FlowID != uuid.Nil:
		return c.Store.Flows().Start(c.Context(), c.Account.ID, b.FlowID)
	case b.OfferID == uuid.Nil && b.LanderID == uuid.Nil:
		return []flow.Path{}, nil
	}
	return flow.Simple(models.IDText(b.OfferID), models.IDText(b.LanderID)), nil
}
