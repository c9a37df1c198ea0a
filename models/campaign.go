package models

import (
	"time"

	"github.com/google/uuid"
)

// The states of a campaign. Only an active one routes visitors.
const (
	CampaignActive   = "active"
	CampaignPaused   = "paused"
	CampaignArchived = "archived"
)

// UniqueByParam is the uniqueness method that needs a parameter's name.
const UniqueByParam = "param"

// Campaign is a tracking link with its settings. Its flow is not part of it, so that lists need not read it.
type Campaign struct {
	ID                 uuid.UUID `db:"id"`
	AccountID          uuid.UUID `db:"account_id"`
	Name               string    `db:"name"`
	Alias              string    `db:"alias"`     // unique on the domain
	DomainID           uuid.UUID `db:"domain_id"` // zero for Create: the default domain, else the shared link domain
	SourceID           uuid.UUID `db:"source_id"` // zero: none
	Status             string    `db:"status"`
	Mode               string    `db:"mode"`
	DestinationURL     string    `db:"destination_url"`
	PrimaryGoalKey     string    `db:"primary_goal_key"`
	MeasurementSiteID  uuid.UUID `db:"measurement_site_id"` // zero: none
	TrackedGoalKeys    []string  `db:"tracked_goal_keys"`
	CostModel          string    `db:"cost_model"`
	CostValue          Money     `db:"cost_value"`
	Currency           string    `db:"currency"`
	FlowRotation       string    `db:"flow_rotation"`
	BindVisitors       string    `db:"bind_visitors"`
	UniquenessMethod   string    `db:"uniqueness_method"`
	UniquenessParam    string    `db:"uniqueness_param"`
	UniquenessTTLHours int       `db:"uniqueness_ttl_hours"`
	TrafficLossPct     Money     `db:"traffic_loss_pct"` // percent, with at most two decimals
	GroupName          string    `db:"group_name"`
	Country            string    `db:"country"` // two capital letters, or empty
	Tags               []string  `db:"tags"`
	IsPinned           bool      `db:"is_pinned"`
	Notes              string    `db:"notes"`
	FallbackURL        string    `db:"fallback_url"`
	CreatedAt          time.Time `db:"created_at,auto"`
	UpdatedAt          time.Time `db:"updated_at,auto"`

	// Read with the campaign, never written.
	Host       string `db:"host,joined"`        // of the domain
	SharedHost bool   `db:"shared_host,joined"` // the domain is one of the install's, which every account may use
	SourceName string `db:"source_name,joined"`
	PathCount  int    `db:"path_count,joined"`
}

// NewCampaign gives a campaign with every default, in the account's currency.
func NewCampaign(account Account) Campaign {
	return Campaign{
		AccountID: account.ID, Status: CampaignActive, Mode: "affiliate", CostModel: "auto", Currency: account.Currency,
		FlowRotation: "position", BindVisitors: "none", UniquenessMethod: "ip_ua", UniquenessTTLHours: 24, Tags: []string{},
	}
}

// TracksGoals reports whether the campaign's mode needs goal tracking in the plan.
func (c Campaign) TracksGoals() bool { return c.Mode != "affiliate" }

// Paused gives the payload of campaign.paused. By is who paused it: api, dashboard or copilot.
func (c Campaign) Paused(by string) CampaignPausedData {
	return CampaignPausedData{CampaignID: c.ID.String(), Name: c.Name, Alias: c.Alias, By: by}
}
