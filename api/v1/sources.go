package v1

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/template"
)

// sources are the rows of /traffic-sources.
func sources() []route.Route {
	const group, path = "Traffic sources", "/traffic-sources"
	res := resource[models.TrafficSource, SourceAnswer]{
		table:  func(s *store.Store) table[models.TrafficSource] { return s.Sources() },
		own:    func(o *models.TrafficSource, account, id uuid.UUID) { o.AccountID, o.ID = account, id },
		answer: sourceAnswer,
	}
	bodyCodes := route.Codes("400 required too_long invalid_url invalid_number out_of_range invalid_value",
		"402 plan_limit", "409 duplicate_name")
	return []route.Route{
		{
			Method: "GET", Path: path, Group: group, Summary: "traffic sources with figures for the window",
			Window: true, Page: true,
			Handle: list((*store.Store).Sources, "source_id", func(o models.TrafficSource) uuid.UUID { return o.ID }, sourceRow),
		},
		{
			Method: "POST", Path: path, Group: group, Summary: "create a traffic source", Scope: route.Write, Status: 201,
			Codes: bodyCodes, Handle: create[SourceBody](res),
		},
		{
			Method: "PUT", Path: path, Group: group, Summary: "replace a traffic source", Scope: route.Write,
			Codes:  append(answer.IDCodes, bodyCodes...),
			Handle: put[SourcePut](res, func(o models.TrafficSource) IDAnswer { return IDAnswer{o.ID} }),
		},
		{
			Method: "PATCH", Path: path, Group: group, Summary: "pause or resume a traffic source", Scope: route.Write,
			Codes:  append(route.Codes("402 plan_limit"), toggleCodes...),
			Handle: toggle((*store.Store).Sources, toggledStatus),
		},
		{
			Method: "DELETE", Path: path, Group: group, Summary: "deactivate a traffic source", Scope: route.Write,
			Query: answer.QueryID, Codes: answer.IDCodes, Handle: deactivate((*store.Store).Sources),
		},
	}
}

// SourceBody is the body of POST /traffic-sources.
type SourceBody struct {
	Name            string             `json:"name" required:"true" trim:"true" maxLength:"255"`
	TokenMacros     models.TokenMacros `json:"token_macros" doc:"parameter to macro; their order fills sub1, sub2, ..."`
	CostParam       string             `json:"cost_param" trim:"true" maxLength:"100"`
	CostModel       string             `json:"cost_model" bad:"invalid_value" enum:"cpc,cpm,cpa,manual" default:"cpc"`
	PostbackURL     string             `json:"postback_url" trim:"true" maxLength:"4000" format:"url" doc:"http(s); {token} placeholders allowed"`
	ExternalIDParam string             `json:"external_id_param" trim:"true" maxLength:"100"`
	Notes           string             `json:"notes" maxLength:"2000"`
	TrafficLossPct  decimal.Decimal    `json:"traffic_loss_pct" bad:"invalid_number,out_of_range" min:"0" max:"99.99" default:"0"`
	GroupName       string             `json:"group_name" trim:"true" maxLength:"255"`
	Tags            bind.Tags          `json:"tags"`
	CostMacro       bind.LooseText     `json:"cost_macro" doc:"up to 64 characters of a macro; anything else is dropped"`
	Platform        bind.LooseText     `json:"platform" doc:"a known platform template; anything else is dropped"`
}

// SourcePut is the body of PUT /traffic-sources: every field is written, one left out goes back to its default.
type SourcePut struct {
	bind.ID
	SourceBody
}

// The limits of token_macros.
const (
	maxMacros    = 50
	maxParamName = 100 // characters
	maxMacroText = 255
)

var costMacro = regexp.MustCompile(`^[A-Za-z0-9${}\[\]#_@!%:().|-]{1,64}$`)

// Record gives the traffic source that the body describes.
func (b SourceBody) Record() (models.TrafficSource, error) {
	o := models.TrafficSource{
		Name: b.Name, TokenMacros: b.TokenMacros, CostParam: b.CostParam, CostModel: b.CostModel,
		PostbackURL: b.PostbackURL, ExternalIDParam: b.ExternalIDParam, Notes: b.Notes, TrafficLossPct: b.TrafficLossPct,
		GroupName: b.GroupName, Tags: b.Tags,
	}
	if m := strings.TrimSpace(string(b.CostMacro)); costMacro.MatchString(m) {
		o.CostMacro = m
	}
	if p := string(b.Platform); template.IsPlatform(p) {
		o.Platform = p
	}
	return o, checkMacros(o.TokenMacros)
}

func checkMacros(list models.TokenMacros) error {
	if len(list) > maxMacros {
		return models.Invalid("invalid_input", "token_macros may have at most %d parameters", maxMacros)
	}
	for _, m := range list {
		if strings.TrimSpace(m.Param) == "" {
			return models.Invalid("invalid_input", "a parameter of token_macros needs a name")
		}
		if utf8.RuneCountInString(m.Param) > maxParamName {
			return tooLong("a parameter of token_macros", maxParamName)
		}
		if utf8.RuneCountInString(m.Macro) > maxMacroText {
			return tooLong("a macro of token_macros", maxMacroText)
		}
	}
	return nil
}

// SourceAnswer is the saved traffic source.
type SourceAnswer struct {
	ID              uuid.UUID          `json:"id"`
	Name            string             `json:"name"`
	TokenMacros     models.TokenMacros `json:"token_macros"`
	CostParam       string             `json:"cost_param"`
	CostModel       string             `json:"cost_model" enum:"cpc,cpm,cpa,manual"`
	PostbackURL     string             `json:"postback_url"`
	ExternalIDParam string             `json:"external_id_param"`
	Notes           string             `json:"notes"`
	TrafficLossPct  models.Money       `json:"traffic_loss_pct"`
	GroupName       string             `json:"group_name"`
	Tags            []string           `json:"tags"`
	CostMacro       string             `json:"cost_macro"`
	Platform        string             `json:"platform"`
	Status          string             `json:"status" enum:"active,paused"`
	CreatedAt       string             `json:"created_at"`
	UpdatedAt       string             `json:"updated_at"`
}

func sourceAnswer(o models.TrafficSource) SourceAnswer {
	return SourceAnswer{
		ID: o.ID, Name: o.Name, TokenMacros: o.TokenMacros, CostParam: o.CostParam, CostModel: o.CostModel,
		PostbackURL: o.PostbackURL, ExternalIDParam: o.ExternalIDParam, Notes: o.Notes,
		TrafficLossPct: models.NewMoney(o.TrafficLossPct), GroupName: o.GroupName, Tags: o.Tags, CostMacro: o.CostMacro,
		Platform: o.Platform, Status: models.StatusOf(o.IsActive), CreatedAt: answer.Stamp(o.CreatedAt),
		UpdatedAt: answer.Stamp(o.UpdatedAt),
	}
}

// SourceRow is a traffic source in the list.
type SourceRow struct {
	SourceAnswer
	answer.Figures
}

func sourceRow(o models.TrafficSource, f answer.Figures) SourceRow {
	return SourceRow{sourceAnswer(o), f}
}
