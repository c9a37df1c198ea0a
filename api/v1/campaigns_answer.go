package v1

import (
	"net/url"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/token"
)

// CampaignAnswer is a campaign with all its settings.
type CampaignAnswer struct {
	models.Campaign
	CampaignURLs
}

// CampaignURLs are the addresses of a campaign.
type CampaignURLs struct {
	URL         string `json:"url" doc:"the tracking link"`
	TrackingURL string `json:"tracking_url" doc:"the address to enter at the traffic source: the link with the source's parameters, its click id among them, and its macros as it fills them"`
}

func (d Deps) campaignAnswer(c models.Campaign) CampaignAnswer { return CampaignAnswer{c, d.urls(c)} }

func (d Deps) urls(c models.Campaign) CampaignURLs {
	link := d.link(c)
	return CampaignURLs{link, withQuery(link, token.LinkQuery(c.SourceLink))}
}

func withQuery(link, query string) string {
	if query == "" {
		return link
	}
	return link + "?" + query
}

// link is the tracking link of a campaign.
func (d Deps) link(c models.Campaign) string { return d.address(c.Host, c.SharedHost, c.Alias) }

// address is an address on a tracking domain. On a shared link domain it has the scheme and the port of BASE_URL, because
// the install itself serves such a domain. A domain of an account is served over https.
func (d Deps) address(host string, shared bool, path string) string {
	u := url.URL{Scheme: "https", Host: host, Path: "/" + path}
	if base, err := url.Parse(d.BaseURL); shared && err == nil && base.Host != "" {
		u.Scheme = base.Scheme
		if port := base.Port(); port != "" {
			u.Host += ":" + port
		}
	}
	return u.String()
}

// CampaignLink is a tracking link of a campaign on one domain.
type CampaignLink struct {
	DomainID uuid.UUID `json:"domain_id"`
	Domain   string    `json:"domain"`
	CampaignURLs
}

// CampaignLinks are all addresses of a campaign.
type CampaignLinks struct {
	Links []CampaignLink `json:"links" doc:"the link on each domain where it works, the campaign's own first: on every verified domain of the account where nothing else has the alias, and on the shared link domain if the campaign is there"`
}

func (d Deps) links(c *route.Call, campaign models.Campaign) (CampaignLinks, error) {
	found, err := c.Store.Domains().LinksOf(c.Context(), c.Account.ID, campaign.ID)
	return CampaignLinks{answer.Each(found, func(on store.LinkDomain) CampaignLink {
		campaign.Host, campaign.SharedHost = on.Host, on.Shared
		return CampaignLink{on.ID, on.Host, d.urls(campaign)}
	})}, err
}

// CampaignWhole is a campaign with all its settings and addresses.
type CampaignWhole struct {
	CampaignAnswer
	CampaignLinks
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
	CampaignURLs
	CampaignLinks
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
	Networks []FlowNetwork `json:"networks" doc:"affiliate networks of the offers in the flow"`
	Campaign CampaignWhole `json:"campaign"`
	Streams  []flow.Path   `json:"streams"`
	Version  string        `json:"version" doc:"of the flow, also the ETag: see If-Match of PUT and PATCH .../flow"`
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
