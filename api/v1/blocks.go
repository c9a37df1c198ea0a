package v1

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/clickattr"
	"switchyard/models/subslot"
)

const blocksGroup = "Blocked values"

// blocks returns the routes of /blocks.
func blocks(d Deps) []route.Route {
	target := route.Codes("400 invalid_scope invalid_campaign invalid_source invalid_dimension value_required")
	row := func(method, path, summary string, handle route.Handler, codes ...[]route.Code) route.Route {
		r := route.New(method, "/blocks"+path, blocksGroup, summary, handle, codes...)
		r.BodyLimit = route.CSVBody
		return r
	}
	preview := row("POST", "/preview", "what values cost and brought in, before they are blocked", route.HandleBody(d.previewBlock), target,
		route.Codes("400 too_large")).Asks().WithWindow().WithShare(route.Reads)
	preview.Repeats = true
	return []route.Route{
		preview,
		row("GET", "", "blocked values, newest first", route.Handle(listBlocked), route.Codes("400 invalid_id")).WithPage().
			WithQuery(route.Param{Name: "list", Type: "uuid", Doc: "only this list"}, route.Param{Name: "q", Doc: "only values that contain this text; case is ignored"}),
		row("POST", "", "block values: campaigns do not route visitors who have one of them", route.HandleBody(addBlocked), target,
			route.Codes("400 too_many")),
		row("GET", "/lists", "lists of blocked values, without the values", route.Handle(listBlockLists), route.Codes("400 invalid_id")).
			WithQuery(route.Param{Name: "campaign", Type: "uuid", Doc: "only the lists that apply to this campaign"}),
		row("GET", "/lists/{id}", "all values of a list, to paste at the traffic source", route.Handle(blockListText), answer.IDCodes),
		row("POST", "/remove", "allow blocked values again", route.HandleBody(removeBlocked), target),
		row("POST", "/undo", "undo a change of blocked values", route.HandleBody(undoBlocked), route.Codes("400 invalid_id too_many", "404 not_found")),
	}
}

// BlockScope is a dimension and the place where its values are blocked.
type BlockScope struct {
	Scope      string        `json:"scope" bad:"invalid_scope" enum:"account,source,campaign" doc:"account: block in every campaign; source: block for the visitors of a traffic source; campaign: block in one campaign"`
	CampaignID uuid.NullUUID `json:"campaign_id" bad:"invalid_campaign" doc:"the campaign; only with the scope campaign, and required there"`
	SourceID   uuid.NullUUID `json:"source_id" bad:"invalid_source" doc:"the traffic source; only with the scope source, and required there"`
	Dimension  string        `json:"dimension" bad:"invalid_dimension" doc:"a dimension of reports that is known at the click, such as sub1 or country"`
}

// target checks the scope and the dimension, and returns them as a models.BlockTarget.
func (b BlockScope) target(c *route.Call) (models.BlockTarget, error) {
	t := models.BlockTarget{Scope: b.Scope, ScopeID: c.Account.ID, Dimension: b.Dimension}
	switch b.Scope {
	case models.BlockCampaign:
		t.ScopeID = b.CampaignID.UUID
	case models.BlockSource:
		t.ScopeID = b.SourceID.UUID
	case "":
		return t, models.Invalid("invalid_scope", "scope must be account, source or campaign")
	}
	switch {
	case b.CampaignID.Valid != (b.Scope == models.BlockCampaign):
		return t, models.Invalid("invalid_campaign", "campaign_id is required with the scope campaign, and allowed with no other")
	case b.SourceID.Valid != (b.Scope == models.BlockSource):
		return t, models.Invalid("invalid_source", "source_id is required with the scope source, and allowed with no other")
	}
	return t, checkBlockable(b.Dimension)
}

func checkBlockable(dimension string) error {
	if a := clickattr.Find(dimension); a != nil && a.IsBlockable() {
		return nil
	}
	var names []string
	for i := range clickattr.All {
		if a := &clickattr.All[i]; a.IsBlockable() {
			names = append(names, a.Name)
		}
	}
	return models.Invalid("invalid_dimension", "dimension must be one of %s", strings.Join(names, ", "))
}

// blockValues returns the values in the form of reports, without repetitions.
func blockValues(dimension string, sent []string) ([]string, error) {
	values := make([]string, 0, len(sent))
	for _, v := range sent {
		v, err := report.FilterValue(dimension, strings.TrimSpace(v))
		switch {
		case err != nil:
			return nil, err
		case v == "":
			return nil, models.Invalid("value_required", "an empty value cannot be blocked")
		case len(v) > models.MaxBlockedValue:
			return nil, models.Invalid("invalid_input", "a value has at most %d bytes: %.40s… has %d", models.MaxBlockedValue, v, len(v))
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return nil, models.Invalid("value_required", "send the values, as a list of texts")
	}
	slices.Sort(values)
	return slices.Compact(values), nil
}

// BlockBody is the body of POST /blocks.
type BlockBody struct {
	BlockScope
	Values []string `json:"values" maxItems:"5000" bad:"value_required,invalid_input" doc:"as a report shows them, compared exactly; at most 5,000 in a call and 50,000 in an account"`
}

func (b BlockBody) read(c *route.Call) (t models.BlockTarget, values []string, err error) {
	if t, err = b.target(c); err != nil {
		return t, nil, err
	}
	values, err = blockValues(t.Dimension, b.Values)
	return t, values, err
}

// BlockChange is the effect of a call that changes blocked values.
type BlockChange struct {
	ID                 uuid.UUID `json:"id" doc:"id of the change, for POST /blocks/undo; if the change allowed values, it can be undone for a week"`
	Blocked            int       `json:"blocked" doc:"number of values that the call has blocked"`
	Allowed            int       `json:"allowed" doc:"number of values that the call has allowed again"`
	Total              int       `json:"total" doc:"values that the account blocks now, of at most 50,000"`
	PropagationSeconds int       `json:"propagationSeconds" doc:"the longest time until the change applies to every click"`
}

// blockChange returns the answer of a call.
func blockChange(c *route.Call, change models.BlockChange) BlockChange {
	if change.ScopeID != c.Account.ID {
		c.Record = change.ScopeID
	}
	return BlockChange{change.ID, change.Blocked, change.Allowed, change.Total, propagationSeconds}
}

// BlockAdded is the answer of POST /blocks.
type BlockAdded struct {
	BlockChange
	ListID uuid.UUID `json:"list_id"`
}

func addBlocked(c *route.Call, b BlockBody) (BlockAdded, error) {
	t, values, err := b.read(c)
	if err != nil {
		return BlockAdded{}, err
	}
	change, list, err := c.Store.Blocks().Add(c.Context(), c.Account.ID, t, values, authorOf(c))
	recordBlock(c, t.Dimension, nil, values)
	return BlockAdded{blockChange(c, change), list}, err
}

// maxRecordedValues is the maximum number of values that the audit log lists.
const maxRecordedValues = 10

// recordBlock adds the values before and after a change to the audit log.
func recordBlock(c *route.Call, dimension string, before, after []string) {
	encoded := func(values []string) json.RawMessage {
		var v any = values
		if len(values) > maxRecordedValues {
			v = len(values)
		}
		text, _ := json.Marshal(v)
		return text
	}
	c.Changes = append(c.Changes, models.FieldChange{Field: dimension, Before: encoded(before), After: encoded(after)})
}

// UnblockBody is the body of POST /blocks/remove.
type UnblockBody struct {
	IDs []uuid.UUID `json:"ids" maxItems:"5000" doc:"ids of blocked values, sent instead of the other fields"`
	BlockScope
	Values []string `json:"values" maxItems:"5000" bad:"value_required,invalid_input" doc:"values of the dimension, allowed again in the scope or, if no scope is sent, wherever they are blocked"`
}

func removeBlocked(c *route.Call, b UnblockBody) (BlockChange, error) {
	r := store.Removal{IDs: b.IDs}
	if len(b.IDs) == 0 {
		var err error
		if b.Scope == "" && !b.CampaignID.Valid && !b.SourceID.Valid {
			r.Target.Dimension, err = b.Dimension, checkBlockable(b.Dimension)
		} else {
			r.Target, err = b.target(c)
		}
		if err == nil {
			err = c.Store.Blocks().CheckTarget(c.Context(), c.Account.ID, r.Target)
		}
		if err == nil {
			r.Values, err = blockValues(r.Target.Dimension, b.Values)
		}
		if err != nil {
			return BlockChange{}, err
		}
		recordBlock(c, r.Target.Dimension, r.Values, nil)
	}
	change, err := c.Store.Blocks().Remove(c.Context(), c.Account.ID, r)
	return blockChange(c, change), err
}

// BlockUndo is the body of POST /blocks/undo.
type BlockUndo struct {
	ID uuid.UUID `json:"id" required:"invalid_id" bad:"invalid_id" doc:"id of the change"`
}

func undoBlocked(c *route.Call, b BlockUndo) (BlockChange, error) {
	change, err := c.Store.Blocks().Undo(c.Context(), c.Account.ID, b.ID)
	return blockChange(c, change), err
}

func listBlocked(c *route.Call) (out resource.Listed[models.BlockedValue], err error) {
	f := store.BlockFilter{Search: c.Query.Get("q")}
	if f.List, err = bind.QueryID(c.Query, "list", "invalid_id"); err != nil {
		return out, err
	}
	if len(f.Search) > models.MaxBlockedValue {
		return out, models.Invalid("invalid_input", "q has at most %d bytes", models.MaxBlockedValue)
	}
	rows, next, err := c.Store.Blocks().Values(c.Context(), c.Account.ID, f, c.Page)
	return resource.Listed[models.BlockedValue]{Rows: rows, NextCursor: answer.Cursor(next)}, err
}

// BlockLists is the answer of GET /blocks/lists.
type BlockLists struct {
	Lists []models.BlockList `json:"lists" doc:"the most recently changed list first; at most 1,000"`
}

func listBlockLists(c *route.Call) (out BlockLists, err error) {
	campaign, err := bind.QueryID(c.Query, "campaign", "invalid_id")
	if err != nil {
		return out, err
	}
	out.Lists, err = c.Store.Blocks().Lists(c.Context(), c.Account.ID, uuid.NullUUID{UUID: campaign, Valid: campaign != uuid.Nil})
	return out, err
}

// BlockListText is a list of blocked values, with the traffic source's parameter that carries such values and the macro that fills
// the parameter.
type BlockListText struct {
	models.BlockList
	Source    string   `json:"source" doc:"name of the traffic source to paste the values at; empty: not known"`
	Parameter string   `json:"parameter" doc:"the source's parameter that has the values; empty: not known"`
	Macro     string   `json:"macro" doc:"the source's macro that fills the parameter"`
	Values    []string `json:"values" doc:"in alphabetical order"`
}

func blockListText(c *route.Call) (out BlockListText, err error) {
	if out.BlockList, out.Values, err = c.Store.Blocks().List(c.Context(), c.Account.ID, c.ID); err != nil {
		return out, err
	}
	source := uuid.NullUUID{UUID: out.ScopeID, Valid: out.Scope == models.BlockSource}
	if out.Scope == models.BlockCampaign {
		campaign, err := c.Store.Campaigns().Find(c.Context(), c.Account.ID, out.ScopeID)
		if err != nil {
			return out, ignoreMissing(err)
		}
		source = campaign.SourceID
	}
	if !source.Valid {
		return out, nil
	}
	s, err := c.Store.Sources().Find(c.Context(), c.Account.ID, source.UUID)
	if err != nil {
		return out, ignoreMissing(err)
	}
	out.Source = s.Name
	out.Parameter, out.Macro = sourceParam(s, out.Dimension)
	return out, nil
}

func ignoreMissing(err error) error {
	if isNotFound(err) {
		return nil
	}
	return err
}

// sourceParam returns the parameter and the macro of a source that fill a sub-parameter.
func sourceParam(s models.TrafficSource, dimension string) (param, macro string) {
	a := clickattr.Find(dimension)
	if a == nil {
		return "", ""
	}
	filled := subslot.Filled(s.SourceLink)
	at := slices.IndexFunc(filled, func(f models.SubSlot) bool { return f.Sub == a.Sub })
	if at < 0 {
		return "", ""
	}
	param = filled[at].Param
	if at := slices.IndexFunc(s.TokenMacros, func(m models.TokenMacro) bool { return m.Param == param }); at >= 0 {
		macro = s.TokenMacros[at].Macro
	}
	return param, macro
}
