package models

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/google/uuid"
)

// The states of a campaign. Only an active campaign routes visitors by its flow. A paused campaign sends them to its fallback_url, if
// it has one.
const (
	CampaignActive   = "active"
	CampaignPaused   = "paused"
	CampaignArchived = "archived"
)

// UniqueByParam is the uniqueness method that needs a parameter's name.
const UniqueByParam = "param"

// Campaign is a tracking link with its settings, without its flow.
type Campaign struct {
	Owned
	Name   string `db:"name" json:"name"`
	Alias  string `db:"alias" json:"alias"` // unique among the links of the domain
	Status string `db:"status" json:"status" enum:"active,paused,archived"`
	CampaignSettings

	// These fields are read together with the campaign, but never written.
	Host       string `db:"host,joined" json:"domain" doc:"host of the tracking link"`
	SharedHost bool   `db:"shared_host,joined" json:"shared_domain" doc:"the domain is a shared link domain"`
	SourceName string `db:"source_name,joined" json:"source_name"`
	PathCount  int    `db:"path_count,joined" json:"path_count"`
	// SourceLink holds the parameters that the traffic source fills in the tracking link.
	SourceLink SourceLink `db:"source_link,joined,json" json:"-"`

	Dated
}

// CampaignSettings are the settings of a campaign that an account chooses. In a new campaign, a zero DomainID means the account's
// default domain, or else the shared link domain.
type CampaignSettings struct {
	DomainID uuid.UUID     `db:"domain_id" json:"domain_id" bad:"invalid_domain" send:"a domain of this account, or the shared link domain"`
	SourceID uuid.NullUUID `db:"source_id" json:"source_id" bad:"invalid_source" send:"a traffic source on this account"`
	Mode     string        `db:"mode" json:"mode" bad:"invalid_mode" trim:"true" enum:"affiliate,lead,store"`

	DestinationURL    string        `db:"destination_url" json:"destination_url" bad:"invalid_destination_url" trim:"true" maxLength:"2000" format:"routable"`
	FallbackURL       string        `db:"fallback_url" json:"fallback_url" bad:"invalid_fallback_url" trim:"true" maxLength:"2000" format:"routable" send:"http(s), or empty"`
	PrimaryGoalKey    string        `db:"primary_goal_key" json:"primary_goal_key" bad:"invalid_goal_key" trim:"true" pattern:"^([a-z][a-z0-9_]{1,63})?$" send:"empty: no primary goal"`
	MeasurementSiteID uuid.NullUUID `db:"measurement_site_id" json:"measurement_site_id" bad:"invalid_site" send:"empty: no site"`
	TrackedGoalKeys   GoalKeys      `db:"tracked_goal_keys" json:"tracked_goal_keys" send:"up to 50 keys; invalid keys are ignored"`

	CostModel string `db:"cost_model" json:"cost_model" bad:"invalid_cost_model" trim:"true" enum:"auto,cpc,cpuc,cpm,cpa,cps,revshare,manual"`
	CostValue Money  `db:"cost_value" json:"cost_value" bad:"invalid_cost_value" min:"0" max:"1000000000"`
	Currency  string `db:"currency" json:"currency" bad:"invalid_currency" trim:"true" case:"upper" pattern:"^[A-Za-z]{3}$" send:"three letters; default: the account's currency"`

	TrafficLossPct Money `db:"traffic_loss_pct" json:"traffic_loss_pct" bad:"invalid_traffic_loss" min:"0" max:"99.99"`

	FlowRotation string `db:"flow_rotation" json:"flow_rotation" bad:"invalid_flow_rotation" trim:"true" enum:"position,weight"`
	BindVisitors string `db:"bind_visitors" json:"bind_visitors" bad:"invalid_bind_visitors" trim:"true" enum:"none,streams,streams_landers,streams_landers_offers"`

	UniquenessMethod   string `db:"uniqueness_method" json:"uniqueness_method" bad:"invalid_uniqueness_method" trim:"true" enum:"ip,ip_ua,cookie,param"`
	UniquenessParam    string `db:"uniqueness_param" json:"uniqueness_param" bad:"invalid_uniqueness_param" trim:"true" maxLength:"100"`
	UniquenessTTLHours int    `db:"uniqueness_ttl_hours" json:"uniqueness_ttl_hours" bad:"invalid_uniqueness_ttl" min:"1" max:"8760"`

	GroupName string `db:"group_name" json:"group_name" bad:"invalid_input" trim:"true" maxLength:"255"`
	Country   string `db:"country" json:"country" bad:"invalid_country" trim:"true" format:"country" send:"two letters, or empty"`
	Tags      Tags   `db:"tags" json:"tags" bad:"invalid_input"`
	IsPinned  bool   `db:"is_pinned" json:"is_pinned"`
	Notes     string `db:"notes" json:"notes" bad:"invalid_input" maxLength:"10000"`
}

// NewCampaign returns a campaign in which everything has its default, in the account's currency.
func NewCampaign(account Account) Campaign {
	c := Campaign{Status: CampaignActive, CampaignSettings: CampaignSettings{
		Mode: "affiliate", CostModel: "auto", Currency: account.Currency, FlowRotation: "position", BindVisitors: "none",
		UniquenessMethod: "ip_ua", UniquenessTTLHours: 24,
	}}
	c.SetOwner(account.ID, uuid.Nil)
	return c
}

// TracksGoals reports whether the campaign has a mode that needs a plan with goal tracking.
func (c Campaign) TracksGoals() bool { return c.Mode != "affiliate" }

// PausedData returns the payload of campaign.paused. The parameters become the fields By and Who.
func (c Campaign) PausedData(by, who string) CampaignPausedData {
	return CampaignPausedData{CampaignID: c.ID.String(), Name: c.Name, Alias: c.Alias, By: by, Who: who}
}

const maxGoalKeys = 50

// MaxGoalKey is the maximum length of a goal's key in characters.
const MaxGoalKey = 64

// GoalKeyForm is the regular expression for keys of goals and names of events.
const GoalKeyForm = `^[a-z][a-z0-9_]{1,63}$`

var goalKey = regexp.MustCompile(GoalKeyForm)

// GoalKeys are the keys of goals.
type GoalKeys []string

// UnmarshalJSON reads a list with elements of any type. It ignores invalid and repeated keys, and keys after the fiftieth.
func (g *GoalKeys) UnmarshalJSON(raw []byte) error {
	var items []any
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	*g = GoalKeys{}
	for _, item := range items {
		key, _ := item.(string)
		if goalKey.MatchString(key) && !slices.Contains(*g, key) && len(*g) < maxGoalKeys {
			*g = append(*g, key)
		}
	}
	return nil
}
