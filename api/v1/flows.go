package v1

import (
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/flow"
)

// flows are the rows of /flows.
func flows() []route.Route {
	const group, path = "Saved flows", "/flows"
	res := resource[flow.Saved, SavedFlowAnswer]{
		table:  func(s *store.Store) table[flow.Saved] { return s.Flows() },
		own:    func(f *flow.Saved, account, id uuid.UUID) { f.AccountID, f.ID = account, id },
		answer: savedFlowAnswer,
	}
	bodyCodes := append(route.Codes("400 required too_long invalid_country"), answer.FlowCodes...)
	return []route.Route{
		{
			Method: "GET", Path: path, Group: group, Summary: "saved flows, most recently changed first", Page: true,
			Handle: pages(res),
		},
		{
			Method: "POST", Path: path, Group: group, Scope: route.Write, Status: 201,
			Summary: "create a saved flow; POST /campaigns copies it by its flow_id",
			Codes:   bodyCodes, Handle: create[SavedFlowBody](res),
		},
		{
			Method: "PUT", Path: path, Group: group, Scope: route.Write,
			Summary: "replace a saved flow; campaigns that were started with it stay as they are",
			Codes:   append(answer.IDCodes, bodyCodes...), Handle: put[SavedFlowPut](res, savedFlowAnswer),
		},
		{
			Method: "PATCH", Path: path, Group: group, Scope: route.Write,
			Summary: "pause or resume a saved flow; a paused one starts no campaign",
			Codes:   toggleCodes, Handle: toggle((*store.Store).Flows, toggledStatus),
		},
		{
			Method: "DELETE", Path: path, Group: group, Summary: "delete a saved flow", Scope: route.Write,
			Query: answer.QueryID, Codes: answer.IDCodes, Handle: remove((*store.Store).Flows),
		},
	}
}

// SavedFlowBody is the body of POST /flows.
type SavedFlowBody struct {
	Name      string          `json:"name" required:"true" trim:"true" maxLength:"255"`
	Paths     json.RawMessage `json:"paths" required:"no_streams" doc:"a full flow: an array of Path"`
	Country   string          `json:"country" bad:"invalid_country" trim:"true" format:"country" doc:"two letters, or empty"`
	GroupName string          `json:"group_name" trim:"true" maxLength:"255"`
	Tags      bind.Tags       `json:"tags"`
	Notes     string          `json:"notes" maxLength:"2000"`
}

// SavedFlowPut is the body of PUT /flows: every field is written, one left out goes back to its default.
type SavedFlowPut struct {
	bind.ID
	SavedFlowBody
}

// Record gives the flow that the body describes. What its paths refer to is left to the store.
func (b SavedFlowBody) Record() (flow.Saved, error) {
	paths, err := flow.Parse(b.Paths)
	return flow.Saved{
		Name: b.Name, Paths: paths, Country: b.Country, GroupName: b.GroupName, Tags: b.Tags, Notes: b.Notes,
	}, err
}

// SavedFlowAnswer is the saved flow.
type SavedFlowAnswer struct {
	ID               uuid.UUID   `json:"id"`
	Name             string      `json:"name"`
	Country          string      `json:"country"`
	Group            string      `json:"group"`
	Tags             []string    `json:"tags"`
	Notes            string      `json:"notes"`
	Status           string      `json:"status" enum:"active,paused"`
	Paths            []flow.Path `json:"paths"`
	RuleCount        int         `json:"rule_count" doc:"rules of all paths, saved and inline"`
	PathCount        int         `json:"path_count"`
	DestinationCount int         `json:"destination_count" doc:"destinations of all paths"`
	CreatedAt        string      `json:"created_at"`
	UpdatedAt        string      `json:"updated_at"`
}

func savedFlowAnswer(f flow.Saved) SavedFlowAnswer {
	rules, destinations := flow.Count(f.Paths)
	return SavedFlowAnswer{
		ID: f.ID, Name: f.Name, Country: f.Country, Group: f.GroupName, Tags: f.Tags, Notes: f.Notes,
		Status: models.StatusOf(f.IsActive), Paths: f.Paths, RuleCount: rules, PathCount: len(f.Paths),
		DestinationCount: destinations, CreatedAt: answer.Stamp(f.CreatedAt), UpdatedAt: answer.Stamp(f.UpdatedAt),
	}
}
