package v1

import (
	"net/url"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/flow"
	"switchyard/models/subslot"
	"switchyard/models/token"
)

// CampaignAnswer is a campaign with all its settings.
type CampaignAnswer struct {
	models.Campaign
	CampaignURLs
	SubNames map[string]string `json:"sub_names" doc:"the names that the campaign's traffic source gives to sub1 to {lastSub}; a sub-parameter without a name is left out"`
}

// CampaignURLs are the addresses of a campaign.
type CampaignURLs struct {
	URL         string `json:"url" doc:"the tracking link"`
	TrackingURL string `json:"tracking_url" doc:"the address to enter at the traffic source: the link with the source's parameters (including the one for its click id), each with the macro that the source replaces"`
}

func (d Deps) campaignAnswer(c models.Campaign) CampaignAnswer {
	return CampaignAnswer{c, d.urls(c), subslot.Names(c.SourceLink)}
}

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

func (d Deps) link(c models.Campaign) string { return d.address(c.Host, c.SharedHost, c.Alias) }

// address returns the URL of a path on a tracking domain. On a shared link domain the URL has the scheme and the port of
// BASE_URL.
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

// CampaignLink is a tracking link of a campaign on a domain.
type CampaignLink struct {
	DomainID uuid.UUID `json:"domain_id"`
	Domain   string    `json:"domain"`
	TagName  string    `json:"tag_name" doc:"the page tag is served there as /{tag_name}.js too; empty: only as /t.js"`
	CampaignURLs
}

// CampaignLinks are all addresses of a campaign.
type CampaignLinks struct {
	Links []CampaignLink `json:"links" doc:"the link on each domain where it works: first the campaign's own domain, then the other verified domains of the account on which the alias leads to this campaign"`
}

func (d Deps) links(c *route.Call, campaign models.Campaign) (CampaignLinks, error) {
	found, err := c.Store.Domains().LinksOf(c.Context(), c.Account.ID, campaign.ID)
	return CampaignLinks{answer.Each(found, func(domain store.LinkDomain) CampaignLink {
		campaign.Host, campaign.SharedHost = domain.Host, domain.Shared
		return CampaignLink{domain.ID, domain.Host, domain.TagName, d.urls(campaign)}
	})}, err
}

// CampaignWhole is a campaign with all its settings and addresses.
type CampaignWhole struct {
	CampaignAnswer
	CampaignLinks
	Revision string `json:"revision" doc:"the revision of the settings, for PATCH"`
}

// CampaignRow is a campaign of the list, with figures.
type CampaignRow struct {
	CampaignAnswer
	answer.Figures
	Goals []CampaignGoal `json:"goals" doc:"the campaign's tracked goals, else the active goals of its measurement site; the primary goal first"`
}

// CampaignGoal counts the clicks of the window that have reached a goal, even if they reached it after the window.
type CampaignGoal struct {
	Key       string       `json:"key"`
	IsPrimary bool         `json:"is_primary"`
	Clicks    int64        `json:"clicks" doc:"clicks that reached the goal: approved and pending conversions, each click counted once"`
	Approved  int64        `json:"approved" doc:"how many of these clicks have an approved conversion of the goal"`
	Revenue   models.Money `json:"revenue" doc:"payouts of the approved conversions"`
}

// campaignRows counts the goals of a page of campaigns, and returns a function that makes the row of a campaign.
func (d Deps) campaignRows(c *route.Call, page []models.Campaign) (func(models.Campaign, answer.Figures) CampaignRow, error) {
	goals, ids := map[uuid.UUID][]CampaignGoal{}, []uuid.UUID{}
	for _, campaign := range page {
		if err := useGoalsOfSite(c, &campaign); err != nil {
			return nil, err
		}
		if list := primaryFirst(campaign); len(list) > 0 {
			goals[campaign.ID], ids = list, append(ids, campaign.ID)
		}
	}
	type campaignGoal struct {
		campaign uuid.UUID
		goal     string
	}
	counts := map[campaignGoal]report.GoalCount{}
	if len(ids) > 0 {
		list, err := d.reports(c).GoalsOf(c.Context(), c.Account.ID, ids, report.ByCampaign, c.Window.From, c.Window.End())
		if err != nil {
			return nil, err
		}
		for _, g := range list {
			counts[campaignGoal{g.Split, g.Goal}] = g
		}
	}
	return func(campaign models.Campaign, f answer.Figures) CampaignRow {
		row := CampaignRow{d.campaignAnswer(campaign), f, append([]CampaignGoal{}, goals[campaign.ID]...)}
		for i := range row.Goals {
			g := &row.Goals[i]
			n := counts[campaignGoal{campaign.ID, g.Key}]
			g.Clicks, g.Approved, g.Revenue = n.Clicks, n.Approved, models.NewMoney(n.Revenue)
		}
		return row
	}, nil
}

// primaryFirst returns the goals of a campaign, the primary goal first. Their figures are 0.
func primaryFirst(campaign models.Campaign) (list []CampaignGoal) {
	primary := campaign.PrimaryGoalKey
	if primary != "" {
		list = append(list, CampaignGoal{Key: primary, IsPrimary: true})
	}
	for _, key := range campaign.TrackedGoalKeys {
		if key != primary {
			list = append(list, CampaignGoal{Key: key})
		}
	}
	return list
}

// CampaignBrief is the answer to a change of a campaign.
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
	AliasReplaced bool        `json:"alias_replaced" doc:"true: the campaign is on the shared link domain, where a generated alias takes the place of the one that was sent"`
	Streams       []flow.Path `json:"streams"`
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
	Version  string        `json:"version" doc:"the version of the flow, also sent as the ETag: see If-Match of PUT and PATCH .../flow"`
}

// FlowNetwork is the affiliate network of an offer in a flow.
type FlowNetwork struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Currency string    `json:"currency"`
	Status   string    `json:"status" enum:"active,paused"`
}

func flowNetwork(n store.FlowNetwork) FlowNetwork {
	return FlowNetwork{n.ID, n.Name, n.Currency, models.StatusOf(n.IsActive)}
}
