package v1

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/reporting"
	"switchyard/api/v1/resource"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
)

// campaignCodes are the error codes of all calls that check settings of campaigns. The POST and the PATCH of a single campaign
// also have campaignOwnCodes.
var (
	campaignCodes = route.Codes("400 invalid_mode invalid_destination_url invalid_goal_key invalid_site " +
		"invalid_cost_model invalid_cost_value invalid_currency invalid_flow_rotation invalid_bind_visitors " +
		"invalid_uniqueness_method uniqueness_param_required invalid_uniqueness_param invalid_uniqueness_ttl " +
		"invalid_traffic_loss invalid_country invalid_fallback_url")
	campaignOwnCodes = route.Codes("400 name_required invalid_alias invalid_domain invalid_source invalid_status",
		"402 plan_limit", "409 duplicate_name alias_taken")
)

// campaigns returns the routes of /campaigns.
func campaigns(d Deps, reportingDeps reporting.Deps) []route.Route {
	res := resource.Kind[store.Campaigns, models.Campaign, CampaignAnswer]{
		Group: "Campaigns", Path: "/campaigns", Table: (*store.Store).Campaigns, Answer: d.campaignAnswer,
		Filters: resource.UseFilters,
	}
	tools := []route.Route{
		d.routingTool(), reporting.Simulation(reportingDeps), reporting.FlowReplay(reportingDeps), reporting.TestClick(reportingDeps),
	}
	rows := slices.Concat(d.insight(), []route.Route{d.launchCheck()}, tools, campaignFlow(res), d.bulkCampaigns(res))
	return append(rows, []route.Route{
		resource.ListFigures(d.Reports, res, "campaigns with figures for the window; pinned first, then newest", "campaign_id", d.campaignRows),
		res.Row("POST", "", "create a campaign", route.HandleBody(d.createCampaign),
			campaignOwnCodes, route.Codes("400 invalid_flow", "403 buyer_only"), campaignCodes, answer.FlowCodes).Creates(),
		res.Row("GET", "/{id}", "one campaign with its flow", route.HandleRecord((*store.Store).Campaigns, d.findCampaign), answer.IDCodes),
		res.Row("PATCH", "/{id}", "change the settings that are sent", route.HandleBody(d.changeCampaign),
			answer.IDCodes, campaignOwnCodes, route.Codes("400 shared_alias no_fields too_long", "409 stale"), campaignCodes),
		res.Row("DELETE", "/{id}", "delete a campaign; its clicks stay", route.Handle(deleteCampaign), answer.IDCodes),
		resource.Clone(res, "copy a campaign; the copy is paused", campaignCloned, route.Codes("400 invalid_domain too_many", "402 plan_limit"),
			answer.FlowCodes),
		res.Row("GET", "/{id}/stats", "totals of a campaign for the window", route.Handle(d.campaignStats),
			route.Codes("400 invalid_id")).WithWindow().WithShare(route.Reads),
	}...)
}

func (d Deps) createCampaign(c *route.Call, b CampaignBody) (CampaignCreated, error) {
	record, err := b.Record()
	if err != nil {
		return CampaignCreated{}, err
	}
	record.SetOwner(c.Account.ID, uuid.Nil)
	paths, err := b.paths(c)
	if err != nil {
		return CampaignCreated{}, err
	}
	saved, err := c.Store.Campaigns().Create(c.Context(), record, paths)
	if err != nil {
		return CampaignCreated{}, err
	}
	links, err := d.links(c, saved)
	return CampaignCreated{campaignBrief(saved), saved.Alias != record.Alias, paths, d.urls(saved), links}, err
}

func (d Deps) findCampaign(c *route.Call, found models.Campaign) (CampaignDetail, error) {
	table := c.Store.Campaigns()
	saved, err := table.Flow(c.Context(), c.Account.ID, c.ID)
	if err != nil {
		return CampaignDetail{}, err
	}
	networks, err := table.FlowNetworks(c.Context(), c.Account.ID, saved.Paths)
	if err != nil {
		return CampaignDetail{}, err
	}
	links, err := d.links(c, found)
	if err != nil {
		return CampaignDetail{}, err
	}
	tagVersion(c, saved.Version)
	return CampaignDetail{
		Networks: answer.Each(networks, flowNetwork), Campaign: CampaignWhole{d.campaignAnswer(found), links, revisionOf(&found)},
		Streams: saved.Paths, Version: saved.Version,
	}, nil
}

func deleteCampaign(c *route.Call) (resource.DeletedUsed, error) {
	if err := c.Store.Campaigns().Remove(c.Context(), c.Account.ID, c.ID); err != nil {
		return resource.DeletedUsed{}, err
	}
	users, err := resource.UsersOf(c)
	return resource.DeletedWith(c.ID, users), err
}

// authorOf returns the caller. A connected assistant acts for its person.
func authorOf(c *route.Call) store.Author {
	by := store.Author{Person: cmp.Or(c.Person.Name, c.Person.Email), Key: uuid.NullUUID{UUID: c.KeyID, Valid: !c.IsPerson()}}
	if a := c.Assistant; a != nil {
		by.Person = cmp.Or(a.Person.Name, a.Person.Email)
	}
	return by
}

func (d Deps) changeCampaign(c *route.Call, b CampaignPatch) (CampaignBrief, error) {
	if !bind.HasFields(c.Body, b) {
		return CampaignBrief{}, models.Invalid("no_fields", "there is nothing to change")
	}
	edit := func(saved *models.Campaign) error { return editCampaign(saved, c.Body) }
	saved, deliveries, err := c.Store.Campaigns().Change(c.Context(), c.Account.ID, c.ID, authorOf(c), edit)
	if err != nil {
		return CampaignBrief{}, err
	}
	d.dispatch(c, deliveries)
	return campaignBrief(saved), nil
}

// campaignStats returns the totals of a campaign. It does not check whether the campaign exists, because the figures of a deleted
// campaign can be read.
func (d Deps) campaignStats(c *route.Call) (CampaignStats, error) {
	q := reporting.InWindow(c)
	q.Filters = []report.Filter{report.IDs("campaign_id", c.ID)}
	f, err := d.reports(c).Totals(c.Context(), q)
	return CampaignStats{
		Range: c.Window.Range(), Clicks: f.Clicks, Cost: models.NewMoney(f.Cost),
		Conversions: f.Conversions(), Revenue: models.NewMoney(f.Revenue),
	}, err
}

// CampaignStats are the totals of a campaign.
type CampaignStats struct {
	Range       bind.Range   `json:"range"`
	Clicks      int64        `json:"clicks" doc:"without bots"`
	Cost        models.Money `json:"cost"`
	Conversions int64        `json:"conversions" doc:"approved and pending"`
	Revenue     models.Money `json:"revenue" doc:"approved payouts"`
}
