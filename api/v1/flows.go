package v1

import (
	"encoding/json"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
)

// flows returns the routes of /flows.
func flows() []route.Route {
	res := resource.Kind[store.Flows, flow.Saved, SavedFlowAnswer]{
		Group: "Saved flows", Path: "/flows", Table: (*store.Store).Flows, Answer: savedFlowAnswer,
		Filters: resource.UseFilters,
		Codes:   append(route.Codes("400 required too_long invalid_country"), answer.FlowCodes...),
	}
	return []route.Route{
		resource.List(res, "saved flows, most recently changed first"),
		resource.Create[SavedFlowBody](res, "create a saved flow; POST /campaigns copies it by its flow_id"),
		resource.Put[SavedFlowPut](res, "replace a saved flow; campaigns that were started with it stay as they are", savedFlowAnswer),
		resource.Toggle(res, "pause or resume a saved flow; a paused one starts no campaign", resource.ToggledStatus),
		resource.Remove(res, "delete a saved flow", answer.Deleted),
	}
}

// SavedFlowBody is the body of POST /flows.
type SavedFlowBody struct {
	Name      string           `json:"name" required:"true" trim:"true" maxLength:"255"`
	Paths     json.RawMessage  `json:"paths" is:"paths" required:"no_streams" doc:"a full flow: an array of Path"`
	Country   string           `json:"country" bad:"invalid_country" trim:"true" format:"country" doc:"two letters, or empty"`
	GroupName bind.Opt[string] `json:"group_name" trim:"true" maxLength:"255"`
	Group     bind.Opt[string] `json:"group" trim:"true" maxLength:"255" doc:"another name of group_name, which goes before it"`
	Tags      models.Tags      `json:"tags"`
	Notes     string           `json:"notes" maxLength:"2000"`
}

// SavedFlowPut is the body of PUT /flows. It replaces every field. A field that is left out gets its default.
type SavedFlowPut struct {
	bind.ID
	SavedFlowBody
}

// Record returns the flow that the body describes. The store checks the records to which the paths refer.
func (b SavedFlowBody) Record() (flow.Saved, error) {
	paths, err := flow.Parse(b.Paths)
	return flow.Saved{
		Name: b.Name, Paths: paths, Country: b.Country, GroupName: b.GroupName.Or(b.Group.Value), Tags: b.Tags, Notes: b.Notes,
	}, err
}

// SavedFlowAnswer is a saved flow. The fields group and group_name have the same value.
type SavedFlowAnswer struct {
	flow.Saved
	Group            string `json:"group_name" doc:"the same as group"`
	RuleCount        int    `json:"rule_count" doc:"rules of all paths, saved and inline"`
	PathCount        int    `json:"path_count"`
	DestinationCount int    `json:"destination_count" doc:"destinations of all paths"`
}

func savedFlowAnswer(f flow.Saved) SavedFlowAnswer {
	rules, destinations := flow.Count(f.Paths)
	return SavedFlowAnswer{f, f.GroupName, rules, len(f.Paths), destinations}
}
