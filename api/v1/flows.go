package v1

import (
	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models/bind"
	"switchyard/models/flow"
	"switchyard/models/form"
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
		resource.Create[form.SavedFlowBody](res, "create a saved flow; POST /campaigns copies it by its flow_id"),
		resource.Put[SavedFlowPut](res, "replace a saved flow; campaigns that were started with it stay as they are", savedFlowAnswer),
		resource.Toggle(res, "pause or resume a saved flow; no campaign can start from a paused flow", resource.ToggledStatus),
		resource.Remove(res, "delete a saved flow", answer.Deleted),
	}
}

// SavedFlowPut is the body of PUT /flows. A field that is left out gets its default.
type SavedFlowPut struct {
	bind.ID
	form.SavedFlowBody
}

// SavedFlowAnswer is a saved flow.
type SavedFlowAnswer struct {
	flow.Saved
	Group            string `json:"group_name" doc:"the same as group"`
	RuleCount        int    `json:"rule_count" doc:"number of rules in all paths; saved rules and inline rules both count"`
	PathCount        int    `json:"path_count"`
	DestinationCount int    `json:"destination_count" doc:"number of destinations in all paths"`
}

func savedFlowAnswer(f flow.Saved) SavedFlowAnswer {
	rules, destinations := flow.Count(f.Paths)
	return SavedFlowAnswer{f, f.GroupName, rules, len(f.Paths), destinations}
}
