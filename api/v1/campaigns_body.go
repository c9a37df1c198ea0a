package v1

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/flow"
)

// CampaignSettings are the fields that POST and PATCH /campaigns share beside name, alias and status.
type CampaignSettings struct {
	DomainID bind.Opt[uuid.UUID] `json:"domain_id" bad:"invalid_domain" doc:"of this account, or the shared link domain"`
	SourceID bind.Opt[uuid.UUID] `json:"source_id" bad:"invalid_source" doc:"a traffic source on this account"`
	Mode     bind.Opt[string]    `json:"mode" bad:"invalid_mode" trim:"true" enum:"affiliate,lead,store"`

	DestinationURL    bind.Opt[string]    `json:"destination_url" bad:"invalid_destination_url" trim:"true" maxLength:"2000" format:"routable"`
	FallbackURL       bind.Opt[string]    `json:"fallback_url" bad:"invalid_fallback_url" trim:"true" maxLength:"2000" format:"routable" doc:"http(s), or empty"`
	PrimaryGoalKey    bind.Opt[string]    `json:"primary_goal_key" bad:"invalid_goal_key" trim:"true" pattern:"^([a-z][a-z0-9_]{1,63})?$" doc:"empty clears it"`
	MeasurementSiteID bind.Opt[uuid.UUID] `json:"measurement_site_id" bad:"invalid_site" doc:"empty clears it"`
	TrackedGoalKeys   bind.Opt[GoalKeys]  `json:"tracked_goal_keys" doc:"up to 50; invalid keys are dropped"`

	CostModel bind.Opt[string]       `json:"cost_model" bad:"invalid_cost_model" trim:"true" enum:"auto,cpc,cpuc,cpm,cpa,cps,revshare,manual"`
	CostValue bind.Opt[models.Money] `json:"cost_value" bad:"invalid_cost_value" min:"0" max:"1000000000"`
	Currency  bind.Opt[string]       `json:"currency" bad:"invalid_currency" trim:"true" case:"upper" pattern:"^[A-Za-z]{3}$" doc:"three letters; default the account's"`

	TrafficLossPct bind.Opt[models.Money] `json:"traffic_loss_pct" bad:"invalid_traffic_loss" min:"0" max:"99.99"`

	FlowRotation bind.Opt[string] `json:"flow_rotation" bad:"invalid_flow_rotation" trim:"true" enum:"position,weight"`
	BindVisitors bind.Opt[string] `json:"bind_visitors" bad:"invalid_bind_visitors" trim:"true" enum:"none,streams,streams_landers,streams_landers_offers"`

	UniquenessMethod   bind.Opt[string] `json:"uniqueness_method" bad:"invalid_uniqueness_method" trim:"true" enum:"ip,ip_ua,cookie,param"`
	UniquenessParam    bind.Opt[string] `json:"uniqueness_param" bad:"invalid_uniqueness_param" trim:"true" maxLength:"100"`
	UniquenessTTLHours bind.Opt[int]    `json:"uniqueness_ttl_hours" bad:"invalid_uniqueness_ttl" min:"1" max:"8760"`

	GroupName bind.Opt[string]    `json:"group_name" bad:"invalid_input" trim:"true" maxLength:"255"`
	Country   bind.Opt[string]    `json:"country" bad:"invalid_country" trim:"true" format:"country" doc:"two letters, or empty"`
	Tags      bind.Opt[bind.Tags] `json:"tags" bad:"invalid_input"`
	IsPinned  bind.Opt[bool]      `json:"is_pinned"`
	Notes     bind.Opt[string]    `json:"notes" bad:"invalid_input" maxLength:"10000"`
}

// CampaignBody is the body of POST /campaigns. Null is the same as left out.
type CampaignBody struct {
	Name   string           `json:"name" bad:"invalid_input" required:"name_required" trim:"true" maxLength:"255"`
	Alias  string           `json:"alias" bad:"invalid_alias" required:"invalid_alias" format:"alias" doc:"generated on the shared link domain"`
	Status bind.Opt[string] `json:"status" bad:"invalid_status" trim:"true" enum:"active,paused" doc:"active or paused; PATCH also archived"`
	CampaignSettings
	Streams  json.RawMessage `json:"streams" doc:"a full flow: an array of Path"`
	FlowID   uuid.UUID       `json:"flow_id" bad:"invalid_flow" doc:"an active saved flow whose paths are copied, when streams is absent"`
	OfferID  uuid.UUID       `json:"offer_id" bad:"invalid_destination" doc:"one-path flow, when streams and flow_id are absent"`
	LanderID uuid.UUID       `json:"lander_id" bad:"invalid_destination" doc:"one-path flow, when streams and flow_id are absent"`
}

// CampaignPatch is the body of PATCH /campaigns/{id}. What is left out is kept; null is an empty value, which clears a
// field that may be empty and is refused for one that may not. An alias that stays the same passes whatever its form,
// so that the check of it is edit's.
type CampaignPatch struct {
	Name             bind.Opt[string] `json:"name" bad:"invalid_input" null:"empty" empty:"name_required" trim:"true" maxLength:"255"`
	Alias            bind.Opt[string] `json:"alias" bad:"invalid_alias"`
	Status           bind.Opt[string] `json:"status" bad:"invalid_status" null:"empty" trim:"true" enum:"active,paused,archived" doc:"active or paused; PATCH also archived"`
	CampaignSettings `null:"empty"`
}

// Record gives the new campaign of an account that the body describes.
func (b CampaignBody) Record(account models.Account) (models.Campaign, error) {
	c := models.NewCampaign(account)
	c.Name, c.Alias = b.Name, b.Alias
	assign(&c.Status, b.Status, false)
	b.apply(&c, false)
	return c, checkUniqueness(&c)
}

// paths gives the flow of the body, which may be a saved one. A body without any is one without paths.
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

// empty tells whether no field that a campaign has was sent.
func (b CampaignPatch) empty() bool { return reflect.ValueOf(b).IsZero() }

// edit changes a campaign by what was sent.
func (b CampaignPatch) edit(c *models.Campaign) error {
	alias := c.Alias
	assign(&c.Name, b.Name, true)
	assign(&c.Alias, b.Alias, true)
	assign(&c.Status, b.Status, true)
	b.apply(c, true)
	if c.Alias != alias {
		if err := models.CheckAlias(c.Alias); err != nil {
			return models.Invalid("invalid_alias", "%s", err)
		}
	}
	return checkUniqueness(c)
}

// assign writes a field that was sent. Null is left out, or with nulls an empty value.
func assign[T any](into *T, o bind.Opt[T], nulls bool) {
	if o.Given() || o.Set && nulls {
		*into = o.Value
	}
}

// apply writes the settings that were sent.
func (s CampaignSettings) apply(c *models.Campaign, nulls bool) {
	assign(&c.DomainID, s.DomainID, nulls)
	assign(&c.SourceID, s.SourceID, nulls)
	assign(&c.Mode, s.Mode, nulls)
	assign(&c.DestinationURL, s.DestinationURL, nulls)
	assign(&c.FallbackURL, s.FallbackURL, nulls)
	assign(&c.PrimaryGoalKey, s.PrimaryGoalKey, nulls)
	assign(&c.MeasurementSiteID, s.MeasurementSiteID, nulls)
	assign((*GoalKeys)(&c.TrackedGoalKeys), s.TrackedGoalKeys, nulls)
	assign(&c.CostModel, s.CostModel, nulls)
	assign(&c.CostValue, s.CostValue, nulls)
	assign(&c.Currency, s.Currency, nulls)
	assign(&c.TrafficLossPct, s.TrafficLossPct, nulls)
	assign(&c.FlowRotation, s.FlowRotation, nulls)
	assign(&c.BindVisitors, s.BindVisitors, nulls)
	assign(&c.UniquenessMethod, s.UniquenessMethod, nulls)
	assign(&c.UniquenessParam, s.UniquenessParam, nulls)
	assign(&c.UniquenessTTLHours, s.UniquenessTTLHours, nulls)
	assign(&c.GroupName, s.GroupName, nulls)
	assign(&c.Country, s.Country, nulls)
	assign((*bind.Tags)(&c.Tags), s.Tags, nulls)
	assign(&c.IsPinned, s.IsPinned, nulls)
	assign(&c.Notes, s.Notes, nulls)
}

// checkUniqueness refuses the method that goes by a parameter without the parameter's name.
func checkUniqueness(c *models.Campaign) error {
	if c.UniquenessMethod == models.UniqueByParam && c.UniquenessParam == "" {
		return models.Invalid("uniqueness_param_required", "the method param needs uniqueness_param")
	}
	return nil
}

const maxGoalKeys = 50

var goalKey = regexp.MustCompile(`^[a-z][a-z0-9_]{1,63}$`)

// GoalKeys are the keys of goals. Items that are not one are dropped, and those beyond the fiftieth.
type GoalKeys []string

// UnmarshalJSON takes an array of anything.
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
