package v1

import (
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/models"
	"switchyard/models/check"
	"switchyard/models/flow"
)

// CampaignSettings are the fields that POST and PATCH /campaigns share beside name and alias.
type CampaignSettings struct {
	DomainID bind.Opt[uuid.UUID] `json:"domain_id" bad:"invalid_domain" doc:"of this account, or the shared link domain"`
	SourceID bind.Opt[uuid.UUID] `json:"source_id" bad:"invalid_source" doc:"a traffic source on this account"`
	Status   bind.Opt[string]    `json:"status" bad:"invalid_status" doc:"active or paused; PATCH also archived"`
	Mode     bind.Opt[string]    `json:"mode" bad:"invalid_mode" enum:"affiliate,lead,store"`

	DestinationURL    bind.Opt[string]    `json:"destination_url" bad:"invalid_destination_url" maxLength:"2000"`
	FallbackURL       bind.Opt[string]    `json:"fallback_url" bad:"invalid_fallback_url" doc:"http(s), or empty"`
	PrimaryGoalKey    bind.Opt[string]    `json:"primary_goal_key" bad:"invalid_goal_key" doc:"empty clears it"`
	MeasurementSiteID bind.Opt[uuid.UUID] `json:"measurement_site_id" bad:"invalid_site" doc:"empty clears it"`
	TrackedGoalKeys   bind.Opt[GoalKeys]  `json:"tracked_goal_keys" doc:"up to 50; invalid keys are dropped"`

	CostModel bind.Opt[string]          `json:"cost_model" bad:"invalid_cost_model" enum:"auto,cpc,cpuc,cpm,cpa,cps,revshare,manual"`
	CostValue bind.Opt[decimal.Decimal] `json:"cost_value" bad:"invalid_cost_value" min:"0"`
	Currency  bind.Opt[string]          `json:"currency" bad:"invalid_currency" doc:"three letters; default the account's"`

	TrafficLossPct bind.Opt[decimal.Decimal] `json:"traffic_loss_pct" bad:"invalid_traffic_loss" min:"0" max:"99.99"`

	FlowRotation bind.Opt[string] `json:"flow_rotation" bad:"invalid_flow_rotation" enum:"position,weight"`
	BindVisitors bind.Opt[string] `json:"bind_visitors" bad:"invalid_bind_visitors" enum:"none,streams,streams_landers,streams_landers_offers"`

	UniquenessMethod   bind.Opt[string] `json:"uniqueness_method" bad:"invalid_uniqueness_method" enum:"ip,ip_ua,cookie,param"`
	UniquenessParam    bind.Opt[string] `json:"uniqueness_param" bad:"invalid_uniqueness_param" maxLength:"100"`
	UniquenessTTLHours bind.Opt[int]    `json:"uniqueness_ttl_hours" bad:"invalid_uniqueness_ttl" min:"1" max:"8760"`

	GroupName bind.Opt[string]   `json:"group_name" maxLength:"255"`
	Country   bind.Opt[string]   `json:"country" bad:"invalid_country" doc:"two letters, or empty"`
	Tags      bind.Opt[[]string] `json:"tags" maxItems:"20"`
	IsPinned  bind.Opt[bool]     `json:"is_pinned"`
	Notes     bind.Opt[string]   `json:"notes" maxLength:"10000"`
}

// CampaignBody is the body of POST /campaigns. Null is the same as left out.
type CampaignBody struct {
	Name  string `json:"name" required:"true" maxLength:"255"`
	Alias string `json:"alias" bad:"invalid_alias" required:"true" doc:"generated on the shared link domain"`
	CampaignSettings
	Streams  json.RawMessage `json:"streams" doc:"a full flow: an array of Path"`
	FlowID   uuid.UUID       `json:"flow_id" bad:"invalid_flow" doc:"an active saved flow whose paths are copied, when streams is absent"`
	OfferID  uuid.UUID       `json:"offer_id" bad:"invalid_destination" doc:"one-path flow, when streams and flow_id are absent"`
	LanderID uuid.UUID       `json:"lander_id" bad:"invalid_destination" doc:"one-path flow, when streams and flow_id are absent"`
}

// CampaignPatch is the body of PATCH /campaigns/{id}. What is left out is kept; null is an empty value, which clears a
// field that may be empty and is refused for one that may not.
type CampaignPatch struct {
	Name  bind.Opt[string] `json:"name" maxLength:"255"`
	Alias bind.Opt[string] `json:"alias" bad:"invalid_alias"`
	CampaignSettings
}

// Record checks the body of a new campaign of an account.
func (b CampaignBody) Record(account models.Account) (models.Campaign, error) {
	c := models.NewCampaign(account)
	c.Name, c.Alias = strings.TrimSpace(b.Name), b.Alias
	b.apply(&c, false)
	err := check.First(
		checkCampaignName(c.Name),
		checkAlias(c.Alias),
		oneOf("invalid_status", "status", c.Status, models.CampaignActive, models.CampaignPaused),
		checkSettings(&c),
	)
	return c, err
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

// edit changes a campaign by what was sent. An alias that stays the same passes whatever its form.
func (b CampaignPatch) edit(c *models.Campaign) error {
	alias := c.Alias
	assign(&c.Name, b.Name, true)
	assign(&c.Alias, b.Alias, true)
	c.Name = strings.TrimSpace(c.Name)
	b.apply(c, true)
	err := check.First(
		checkCampaignName(c.Name),
		oneOf("invalid_status", "status", c.Status,
			models.CampaignActive, models.CampaignPaused, models.CampaignArchived),
		checkSettings(c),
	)
	if err == nil && c.Alias != alias {
		err = checkAlias(c.Alias)
	}
	return err
}

// assign writes a field that was sent. Null is left out, or with nulls an empty value.
func assign[T any](into *T, o bind.Opt[T], nulls bool) {
	if o.Given() || o.Set && nulls {
		*into = o.Value
	}
}

// apply writes the settings that were sent; checkSettings then looks at the whole.
func (s CampaignSettings) apply(c *models.Campaign, nulls bool) {
	assign(&c.DomainID, s.DomainID, nulls)
	assign(&c.SourceID, s.SourceID, nulls)
	assign(&c.MeasurementSiteID, s.MeasurementSiteID, nulls)
	for _, f := range []struct {
		into *string
		sent bind.Opt[string]
	}{
		{&c.Status, s.Status},
		{&c.Mode, s.Mode},
		{&c.DestinationURL, s.DestinationURL},
		{&c.PrimaryGoalKey, s.PrimaryGoalKey},
		{&c.CostModel, s.CostModel},
		{&c.Currency, s.Currency},
		{&c.FlowRotation, s.FlowRotation},
		{&c.BindVisitors, s.BindVisitors},
		{&c.UniquenessMethod, s.UniquenessMethod},
		{&c.UniquenessParam, s.UniquenessParam},
		{&c.GroupName, s.GroupName},
		{&c.Country, s.Country},
		{&c.FallbackURL, s.FallbackURL},
	} {
		f.sent.Value = strings.TrimSpace(f.sent.Value)
		assign(f.into, f.sent, nulls)
	}
	assign(&c.Notes, s.Notes, nulls)
	assign((*GoalKeys)(&c.TrackedGoalKeys), s.TrackedGoalKeys, nulls)
	assign(&c.CostValue.Decimal, s.CostValue, nulls)
	assign(&c.TrafficLossPct.Decimal, s.TrafficLossPct, nulls)
	assign(&c.UniquenessTTLHours, s.UniquenessTTLHours, nulls)
	assign(&c.Tags, s.Tags, nulls)
	assign(&c.IsPinned, s.IsPinned, nulls)
}

const (
	maxCampaignURL = 2000
	maxCost        = 1_000_000_000
	maxTTLHours    = 8760
)

var (
	aliasForm    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{5,63}$`)
	goalForm     = regexp.MustCompile(`^[a-z][a-z0-9_]{1,63}$`)
	currencyForm = regexp.MustCompile(`^[A-Za-z]{3}$`)
	maxLoss      = decimal.New(9999, -2)
)

// checkSettings refuses settings that a campaign cannot have, and brings country, currency and tags into their form.
func checkSettings(c *models.Campaign) error {
	c.Currency = strings.ToUpper(c.Currency)
	err := check.First(
		oneOf("invalid_mode", "mode", c.Mode, models.CampaignModes...),
		checkLink("invalid_destination_url", "destination_url", c.DestinationURL),
		matches("invalid_goal_key", "primary_goal_key", c.PrimaryGoalKey, goalForm, true),
		oneOf("invalid_cost_model", "cost_model", c.CostModel, models.CostModels...),
		coded("invalid_cost_value", check.Range("cost_value", c.CostValue.Decimal, 0, maxCost)),
		matches("invalid_currency", "currency", c.Currency, currencyForm, false),
		oneOf("invalid_flow_rotation", "flow_rotation", c.FlowRotation, models.FlowRotations...),
		oneOf("invalid_bind_visitors", "bind_visitors", c.BindVisitors, models.VisitorBindings...),
		checkUniqueness(c),
		checkLink("invalid_fallback_url", "fallback_url", c.FallbackURL),
		coded("invalid_input", check.Text("group_name", c.GroupName, 255)),
		coded("invalid_input", check.Text("notes", c.Notes, 10_000)),
	)
	if err == nil && (c.TrafficLossPct.IsNegative() || c.TrafficLossPct.GreaterThan(maxLoss)) {
		err = models.Invalid("invalid_traffic_loss", "traffic_loss_pct must be from 0 to %s", maxLoss)
	}
	if err == nil {
		c.Country, err = check.Country(c.Country)
	}
	if err == nil {
		c.Tags, err = check.Tags(c.Tags)
	}
	if e, ok := models.AsError(err); ok && e.Code == "too_long" {
		err = coded("invalid_input", err)
	}
	return err
}

func checkUniqueness(c *models.Campaign) error {
	err := check.First(
		oneOf("invalid_uniqueness_method", "uniqueness_method", c.UniquenessMethod, models.UniquenessMethods...),
		coded("invalid_uniqueness_param", check.Text("uniqueness_param", c.UniquenessParam, 100)),
		coded("invalid_uniqueness_ttl", check.IntRange("uniqueness_ttl_hours", c.UniquenessTTLHours, 1, maxTTLHours)),
	)
	if err == nil && c.UniquenessMethod == models.UniqueByParam && c.UniquenessParam == "" {
		err = models.Invalid("uniqueness_param_required", "the method param needs uniqueness_param")
	}
	return err
}

func checkCampaignName(name string) error {
	return check.First(coded("name_required", check.Required("name", name)),
		coded("invalid_input", check.Text("name", name, 255)))
}

// checkAlias refuses an alias of the wrong form, and the words that tracking domains answer themselves.
func checkAlias(alias string) error {
	if models.ReservedAlias(alias) {
		return models.Invalid("invalid_alias", "the alias %q is reserved", alias)
	}
	return matches("invalid_alias", "alias", alias, aliasForm, false)
}

func checkLink(code, field, value string) error {
	if utf8.RuneCountInString(value) > maxCampaignURL {
		return models.Invalid(code, "%s may have at most %d characters", field, maxCampaignURL)
	}
	return routable(code, field, value)
}

func matches(code, field, value string, form *regexp.Regexp, emptyOK bool) error {
	if emptyOK && value == "" || form.MatchString(value) {
		return nil
	}
	return models.Invalid(code, "%s must match %s", field, form)
}

// oneOf is check.OneOf that does not let an empty value pass.
func oneOf(code, field, value string, choices ...string) error {
	if value == "" {
		return models.Invalid(code, "%s must be one of %s", field, strings.Join(choices, ", "))
	}
	return check.OneOf(code, field, value, choices...)
}

// coded gives a refusal the code that the endpoint documents for it.
func coded(code string, err error) error {
	if e, ok := models.AsError(err); ok {
		return models.Errorf(e.Kind, code, "%s", e.Message)
	}
	return err
}

const maxGoalKeys = 50

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
		if goalForm.MatchString(key) && !slices.Contains(*g, key) && len(*g) < maxGoalKeys {
			*g = append(*g, key)
		}
	}
	return nil
}
