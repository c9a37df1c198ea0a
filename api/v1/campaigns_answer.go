package v1

import (
	"net/url"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/models"
	"switchyard/models/flow"
)

// CampaignAnswer is a campaign with all its settings.
type CampaignAnswer struct {
	ID                 uuid.UUID    `json:"id"`
	Name               string       `json:"name"`
	Alias              string       `json:"alias"`
	URL                string       `json:"url" doc:"the tracking link"`
	DomainID           uuid.UUID    `json:"domain_id"`
	Domain             string       `json:"domain" doc:"host of the tracking link"`
	SharedDomain       bool         `json:"shared_domain" doc:"the domain is the shared link domain"`
	SourceID           *uuid.UUID   `json:"source_id"`
	SourceName         string       `json:"source_name"`
	Status             string       `json:"status" enum:"active,paused,archived"`
	Mode               string       `json:"mode" enum:"affiliate,lead,store"`
	DestinationURL     string       `json:"destination_url"`
	PrimaryGoalKey     string       `json:"primary_goal_key"`
	MeasurementSiteID  *uuid.UUID   `json:"measurement_site_id"`
	TrackedGoalKeys    []string     `json:"tracked_goal_keys"`
	CostModel          string       `json:"cost_model" enum:"auto,cpc,cpuc,cpm,cpa,cps,revshare,manual"`
	CostValue          models.Money `json:"cost_value"`
	Currency           string       `json:"currency"`
	FlowRotation       string       `json:"flow_rotation" enum:"position,weight"`
	BindVisitors       string       `json:"bind_visitors" enum:"none,streams,streams_landers,streams_landers_offers"`
	UniquenessMethod   string       `json:"uniqueness_method" enum:"ip,ip_ua,cookie,param"`
	UniquenessParam    string       `json:"uniqueness_param"`
	UniquenessTTLHours int          `json:"uniqueness_ttl_hours"`
	TrafficLossPct     models.Money `json:"traffic_loss_pct"`
	GroupName          string       `json:"group_name"`
	Country            string       `json:"country"`
	Tags               []string     `json:"tags"`
	IsPinned           bool         `json:"is_pinned"`
	Notes              string       `json:"notes"`
	FallbackURL        string       `json:"fallback_url"`
	PathCount          int          `json:"path_count"`
	CreatedAt          string       `json:"created_at"`
	UpdatedAt          string       `json:"updated_at"`
}

func (d Deps) campaignAnswer(c models.Campaign) CampaignAnswer {
	return CampaignAnswer{
		ID: c.ID, Name: c.Name, Alias: c.Alias, URL: d.link(c), DomainID: c.DomainID, Domain: c.Host,
		SharedDomain: c.SharedHost, SourceID: answer.IDOrNull(c.SourceID), SourceName: c.SourceName, Status: c.Status,
		Mode: c.Mode, DestinationURL: c.DestinationURL, PrimaryGoalKey: c.PrimaryGoalKey,
		MeasurementSiteID: answer.IDOrNull(c.MeasurementSiteID), TrackedGoalKeys: c.TrackedGoalKeys, CostModel: c.CostModel,
		CostValue: c.CostValue, Currency: c.Currency, FlowRotation: c.FlowRotation, BindVisitors: c.BindVisitors,
		UniquenessMethod: c.UniquenessMethod, UniquenessParam: c.UniquenessParam,
		UniquenessTTLHours: c.UniquenessTTLHours, TrafficLossPct: c.TrafficLossPct, GroupName: c.GroupName,
		Country: c.Country, Tags: c.Tags, IsPinned: c.IsPinned, Notes: c.Notes, FallbackURL: c.FallbackURL,
		PathCount: c.PathCount, CreatedAt: answer.Stamp(c.CreatedAt), UpdatedAt: answer.Stamp(c.UpdatedAt),
	}
}

// link is the tracking link of a campaign. A shared link domain is served by the install itself, where BASE_URL is: it
// takes scheme and port from there. A domain of the account is served over https.
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
}

// FlowNetwork is an affiliate network that an offer of the flow belongs to.
type FlowNetwork struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Currency string    `json:"currency"`
	Status   string    `json:"status" enum:"active,paused"`
}

// FlowAnswer is the flow of a campaign as saved.
type FlowAnswer struct {
	CampaignID uuid.UUID   `json:"campaign_id"`
	Streams    []flow.Path `json:"streams"`
}
