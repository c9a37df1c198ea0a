package v1

import (
	"net/url"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/flow"
)

// CampaignAnswer is a campaign with all its settings.
type CampaignAnswer struct {
	models.Campaign
	URL string `json:"url" doc:"the tracking link"`
}

func (d Deps) campaignAnswer(c models.Campaign) CampaignAnswer { return CampaignAnswer{c, d.link(c)} }

// link is the tracking link of a campaign. On a shared link domain it has the scheme and the port of BASE_URL, because
// the install itself serves such a domain. A domain of the account is served over https.
func (d Deps) link(c models.Campaign) string {
	u := url.URL{Scheme: "https", Host: c.Host, Path: "/" + c.Alias}
	if base, err := url.Parse(d.BaseURL); c.SharedHost && err == nil && base.Host != "" {
		u.Scheme = base.Scheme
		if port := base.Port(); port != "" {
			u.Host += ":" + port
		}
	}
	return u.String()
}

// CampaignRow is a campaign in the list.
type CampaignRow struct {
	CampaignAnswer
	answer.Figures
}

func (d Deps) campaignRow(c models.Campaign, f answer.Figures) CampaignRow {
	return CampaignRow{d.campaignAnswer(c), f}
}

// CampaignBrief is what a change answers.
type CampaignBrief struct {
	ID     uuid.UUID `json:"id"`
	Name   string    `json:"name"`
	Alias  string    `json:"alias"`
	Status string    `json:"status" enum:"active,paused,archived"`
}

func campaignBrief(c models.Campaign) CampaignBrief {
	return CampaignBrief{c.ID, c.Name, c.Alias, c.Status}
}

// CampaignCreated is the answer to POST /campaigns.
type CampaignCreated struct {
	CampaignBrief
	Streams []flow.Path `json:"streams"`
	URL     string      `json:"url" doc:"the tracking link"`
}

// CampaignCloned is the answer to a clone.
type CampaignCloned struct {
	CampaignBrief
	Paths int `json:"paths" doc:"number of paths copied"`
}

func campaignCloned(c models.Campaign) CampaignCloned {
	return CampaignCloned{campaignBrief(c), c.PathCount}
}

// CampaignDetail is a campaign with its flow.
type CampaignDetail struct {
	Networks []FlowNetwork  `json:"networks" doc:"affiliate networks of the offers in the flow"`
	Campaign CampaignAnswer `json:"campaign"`
	Streams  []flow.Path    `json:"streams"`
	Version  string         `json:"version" doc:"of the flow, also the ETag: see If-Match of PUT and PATCH .../flow"`
}

// FlowNetwork is an affiliate network that an offer of the flow belongs to.
type FlowNetwork struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Currency string    `json:"currency"`
	Status   string    `json:"status" enum:"active,paused"`
}

func flowNetwork(n store.FlowNetwork) FlowNetwork {
	return FlowNetwork{n.ID, n.Name, n.Currency, models.StatusOf(n.IsActive)}
}
