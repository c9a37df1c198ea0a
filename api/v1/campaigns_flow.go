package v1

import (
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/resource"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/flow"
)

// campaignFlow returns the routes of /campaigns/{id}/flow.
func campaignFlow(res resource.Kind[store.Campaigns, models.Campaign, CampaignAnswer]) []route.Route {
	const path = "/{id}/flow"
	stale := route.Codes("409 stale")
	rows := []route.Route{
		res.Row("GET", path, "the flow of a campaign", route.Handle(findFlow), answer.IDCodes),
		res.Row("PUT", path, "replace the flow of a campaign", route.HandleBody(replaceFlow), answer.IDCodes, answer.FlowCodes, stale),
		res.Row("PATCH", path, "change one path of a flow; changes that other calls make to other paths at the same time are kept", route.HandleBody(changePath),
			answer.IDCodes, route.Codes("400 required no_fields invalid_cap invalid_destination zero_weights zero_path_weights"),
			stale),
	}
	for i := range rows {
		rows[i].Versioned = true
	}
	return rows
}

// FlowAnswer is the flow of a campaign as saved.
type FlowAnswer struct {
	CampaignID uuid.UUID   `json:"campaign_id"`
	Streams    []flow.Path `json:"streams"`
	Version    string      `json:"version" doc:"the version of the flow, also sent as the ETag"`
}

func flowAnswer(c *route.Call, f store.CampaignFlow) FlowAnswer {
	tagVersion(c, f.Version)
	return FlowAnswer{c.ID, f.Paths, f.Version}
}

func findFlow(c *route.Call) (FlowAnswer, error) {
	saved, err := c.Store.Campaigns().Flow(c.Context(), c.Account.ID, c.ID)
	if err != nil {
		return FlowAnswer{}, err
	}
	return flowAnswer(c, saved), nil
}

// FlowBody is the body of PUT /campaigns/{id}/flow.
type FlowBody struct {
	Streams json.RawMessage `json:"streams" is:"paths" required:"no_streams" doc:"a full flow: an array of Path"`
}

func replaceFlow(c *route.Call, b FlowBody) (FlowAnswer, error) {
	paths, err := flow.Parse(b.Streams)
	if err != nil {
		return FlowAnswer{}, err
	}
	flow.Canonical(paths)
	return changeFlow(c, func([]flow.Path) ([]flow.Path, error) { return paths, nil })
}

// changeFlow replaces the flow by the result of edit, unless the version in If-Match is stale.
func changeFlow(c *route.Call, edit func([]flow.Path) ([]flow.Path, error)) (FlowAnswer, error) {
	saved, err := c.Store.Campaigns().ChangeFlow(c.Context(), c.Account.ID, c.ID,
		func(old store.CampaignFlow) ([]flow.Path, error) {
			if !c.IfMatch(old.Version) {
				return nil, models.Conflict("stale", "the flow has changed: its version is %s now", old.Version)
			}
			return edit(old.Paths)
		})
	if err != nil {
		return FlowAnswer{}, err
	}
	return flowAnswer(c, saved), nil
}

// PathPatch is the body of PATCH /campaigns/{id}/flow. A field that is left out keeps its value.
type PathPatch struct {
	PathID       uuid.UUID           `json:"path_id" bad:"invalid_input" required:"true" doc:"a path of the flow"`
	Weight       bind.Opt[float64]   `json:"weight" null:"refused"`
	IsActive     bind.Opt[bool]      `json:"is_active" null:"refused"`
	DailyCap     bind.Opt[int]       `json:"daily_cap" bad:"invalid_cap" min:"1" max:"1000000000" doc:"null: no cap"`
	Destinations []DestinationWeight `json:"destinations" bad:"invalid_destination" maxItems:"100" doc:"the destinations whose weight changes"`
}

// DestinationWeight sets the weight of a destination of the path.
type DestinationWeight struct {
	ID     uuid.UUID         `json:"id" bad:"invalid_destination" doc:"id of an offer or a landing page"`
	URL    string            `json:"url" bad:"invalid_destination" doc:"address of a destination without an id"`
	Slot   bind.Opt[int]     `json:"slot" bad:"invalid_destination" doc:"only in this slot; left out: in every slot"`
	Weight bind.Opt[float64] `json:"weight" required:"true" null:"refused"`
}

// selects reports whether w sets the weight of d.
func (w DestinationWeight) selects(d flow.Destination) bool {
	return d.ID == models.IDText(w.ID) && d.URL == w.URL && (!w.Slot.Given() || w.Slot.Value == d.Slot)
}

func changePath(c *route.Call, b PathPatch) (FlowAnswer, error) {
	if !b.Weight.Set && !b.IsActive.Set && !b.DailyCap.Set && len(b.Destinations) == 0 {
		return FlowAnswer{}, models.Invalid("no_fields", "there is nothing to change")
	}
	return changeFlow(c, func(paths []flow.Path) ([]flow.Path, error) {
		for i := range paths {
			if paths[i].ID == b.PathID.String() {
				err := b.apply(&paths[i])
				return flow.Normalize(paths), err
			}
		}
		return nil, models.NotFound("path")
	})
}

// apply sets the fields that the body sends. The whole flow is checked before it is saved.
func (b PathPatch) apply(p *flow.Path) error {
	b.Weight.Into(&p.Weight, p.Weight)
	b.IsActive.Into(&p.IsActive, p.IsActive)
	if b.DailyCap.Set {
		p.DailyCap = answer.OrNull(b.DailyCap.Or(0)) // null removes the cap
	}
	for i, w := range b.Destinations {
		found := false
		for j := range p.Destinations {
			if d := &p.Destinations[j]; w.selects(*d) {
				d.Weight, found = w.Weight.Value, true
			}
		}
		if !found {
			return models.Invalid("invalid_destination", "destinations[%d] is not a destination of the path", i)
		}
	}
	return nil
}
