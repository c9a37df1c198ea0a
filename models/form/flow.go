package form

import (
	"encoding/json"

	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
)

// SavedFlowBody is the body of POST /flows.
type SavedFlowBody struct {
	Name      string           `json:"name" required:"true" trim:"true" maxLength:"255"`
	Paths     json.RawMessage  `json:"paths" is:"paths" required:"no_streams" doc:"a full flow: an array of Path"`
	Country   string           `json:"country" bad:"invalid_country" trim:"true" format:"country" doc:"two letters, or empty"`
	GroupName bind.Opt[string] `json:"group_name" trim:"true" maxLength:"255"`
	Group     bind.Opt[string] `json:"group" trim:"true" maxLength:"255" doc:"another name for group_name; if both are sent, group_name counts"`
	Tags      models.Tags      `json:"tags"`
	Notes     string           `json:"notes" maxLength:"2000"`
}

// Record returns the flow that the body describes.
func (b SavedFlowBody) Record() (flow.Saved, error) {
	paths, err := flow.Parse(b.Paths)
	return flow.Saved{
		Name: b.Name, Paths: paths, Country: b.Country, GroupName: b.GroupName.Or(b.Group.Value), Tags: b.Tags, Notes: b.Notes,
	}, err
}
