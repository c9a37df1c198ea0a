package v1

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/bind"
	"switchyard/api/route"
	"switchyard/api/v1/reporting"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/flow"
)

// The codes of the documentation's FLOW-ERR and CAMPAIGN-ERR.
var (
	campaignCodes = route.Codes("400 invalid_mode invalid_destination_url invalid_goal_key invalid_site " +
		"invalid_cost_model invalid_cost_value invalid_currency invalid_flow_rotation invalid_bind_visitors " +
		"invalid_uniqueness_method uniqueness_param_required invalid_uniqueness_param invalid_uniqueness_ttl " +
		"invalid_traffic_loss invalid_country invalid_fallback_url")
	campaignOwnCodes = route.Codes("400 name_required invalid_alias invalid_domain invalid_source invalid_status",
		"402 plan_limit", "409 duplicate_name alias_taken")
)

// campaigns are the rows of /campaigns.
func campaigns(d Deps) []route.Route {
	h := campaignHandlers{d}
	row := func(method, path, summary string, scope route.Scope, run route.Handler, codes ...[]route.Code) route.Route {
		r := route.Route{
			Method: method, Path: path, Group: "Campaigns", Summary: summary, Scope: scope, Handle: run,
			BadID: "invalid_id",
		}
		for _, c := range codes {
			r.Codes = append(r.Codes, c...)
		}
		return r
	}
	list := row("GET", "/campaigns", "campaigns with figures for the window; pinned first, then newest", route.Read,
		route.Do(h.list))
	list.Window, list.Page = true, true
	create := row("POST", "/campaigns", "create a campaign", route.Write, route.Take(h.create),
		campaignOwnCodes, route.Codes("400 invalid_flow", "403 buyer_only"), campaignCodes, answer.FlowCodes)
	create.Status = 201
	clone := row("POST", "/campaigns/{id}/clone", "copy a campaign; the copy is paused", route.Write,
		route.Do(h.clone), answer.IDCodes, route.Codes("400 invalid_domain", "402 plan_limit"), answer.FlowCodes)
	clone.Status = 201
	stats := row("GET", "/campaigns/{id}/stats", "totals of a campaign for the window", route.Read, route.Do(h.stats),
		route.Codes("400 invalid_id"))
	stats.Window = true
	return append(append(h.insight(), h.routingTool(), reporting.Simulation()), []route.Route{
		list, create,
		row("GET", "/campaigns/{id}", "one campaign with its flow", route.Read, route.Do(h.find), answer.IDCodes),
		row("PATCH", "/campaigns/{id}", "change the settings that are sent", route.Write, route.Take(h.change),
			answer.IDCodes, campaignOwnCodes, route.Codes("400 shared_alias no_fields"), campaignCodes),
		row("DELETE", "/campaigns/{id}", "delete a campaign; its clicks stay", route.Write, route.Do(h.remove), answer.IDCodes),
		row("PUT", "/campaigns/{id}/flow", "replace the flow of a campaign", route.Write, route.Take(h.replaceFlow),
			answer.IDCodes, answer.FlowCodes),
		clone, stats,
	}...)
}

type campaignHandlers struct{ Deps }

func (h campaignHandlers) list(c *route.Call) (Rows[CampaignRow], error) {
	w, err := c.Window()
	if err != nil {
		return Rows[CampaignRow]{}, err
	}
	page, err := c.Page()
	if err != nil {
		return Rows[CampaignRow]{}, err
	}
	found, next, err := c.Store.Campaigns().List(c.Context(), c.Account.ID, page)
	if err != nil {
		return Rows[CampaignRow]{}, err
	}
	figures, err := figuresOf(c, "campaign_id", w, found, func(c models.Campaign) uuid.UUID { return c.ID })
	if err != nil {
		return Rows[CampaignRow]{}, err
	}
	out := Rows[CampaignRow]{Range: w.Range(), Rows: make([]CampaignRow, 0, len(found)), NextCursor: answer.Cursor(next)}
	for i, one := range found {
		out.Rows = append(out.Rows, CampaignRow{h.campaignAnswer(one), figures[i]})
	}
	return out, nil
}

func (h campaignHandlers) create(c *route.Call, b CampaignBody) (CampaignCreated, error) {
	record, err := b.Record(c.Account)
	if err != nil {
		return CampaignCreated{}, err
	}
	paths, err := b.paths(c)
	if err != nil {
		return CampaignCreated{}, err
	}
	saved, err := c.Store.Campaigns().Create(c.Context(), record, paths)
	if err != nil {
		return CampaignCreated{}, err
	}
	return CampaignCreated{CampaignBrief: campaignBrief(saved), Streams: paths, URL: h.link(saved)}, nil
}

func (h campaignHandlers) find(c *route.Call) (CampaignDetail, error) {
	id, err := c.ID("id")
	if err != nil {
		return CampaignDetail{}, err
	}
	table := c.Store.Campaigns()
	found, err := table.Find(c.Context(), c.Account.ID, id)
	if err != nil {
		return CampaignDetail{}, err
	}
	paths, err := table.Flow(c.Context(), c.Account.ID, id)
	if err != nil {
		return CampaignDetail{}, err
	}
	networks, err := table.FlowNetworks(c.Context(), c.Account.ID, paths)
	if err != nil {
		return CampaignDetail{}, err
	}
	out := CampaignDetail{
		Networks: make([]FlowNetwork, 0, len(networks)), Campaign: h.campaignAnswer(found),
		Streams: paths,
	}
	for _, n := range networks {
		out.Networks = append(out.Networks, FlowNetwork{n.ID, n.Name, n.Currency, models.StatusOf(n.IsActive)})
	}
	return out, nil
}

func (h campaignHandlers) change(c *route.Call, b CampaignPatch) (CampaignBrief, error) {
	id, err := c.ID("id")
	if err != nil {
		return CampaignBrief{}, err
	}
	if b.empty() {
		return CampaignBrief{}, models.Invalid("no_fields", "there is nothing to change")
	}
	saved, deliveries, err := c.Store.Campaigns().Change(c.Context(), c.Account.ID, id, "api", b.edit)
	if err != nil {
		return CampaignBrief{}, err
	}
	if len(deliveries) > 0 {
		c.After(func(ctx context.Context) {
			h.Jobs.DispatchFor(ctx, c.Account.ID, models.KindDeliverWebhook, deliveries...)
		})
	}
	return campaignBrief(saved), nil
}

func (h campaignHandlers) remove(c *route.Call) (answer.DeletedAnswer, error) {
	id, err := c.ID("id")
	if err != nil {
		return answer.DeletedAnswer{}, err
	}
	return answer.Deleted(id), c.Store.Campaigns().Remove(c.Context(), c.Account.ID, id)
}

// FlowBody is the body of PUT /campaigns/{id}/flow.
type FlowBody struct {
	Streams json.RawMessage `json:"streams" required:"no_streams" doc:"a full flow: an array of Path"`
}

func (h campaignHandlers) replaceFlow(c *route.Call, b FlowBody) (FlowAnswer, error) {
	id, err := c.ID("id")
	if err != nil {
		return FlowAnswer{}, err
	}
	paths, err := flow.Parse(b.Streams)
	if err != nil {
		return FlowAnswer{}, err
	}
	paths, err = c.Store.Campaigns().ReplaceFlow(c.Context(), c.Account.ID, id, paths)
	return FlowAnswer{id, paths}, err
}

func (h campaignHandlers) clone(c *route.Call) (CampaignCloned, error) {
	id, err := c.ID("id")
	if err != nil {
		return CampaignCloned{}, err
	}
	copied, err := c.Store.Campaigns().Clone(c.Context(), c.Account.ID, id)
	return CampaignCloned{campaignBrief(copied), copied.PathCount}, err
}

// stats answers zeros for an id that the account does not have: the contract knows no 404 here, and a deleted campaign
// keeps its figures.
func (h campaignHandlers) stats(c *route.Call) (CampaignStats, error) {
	id, err := c.ID("id")
	if err != nil {
		return CampaignStats{}, err
	}
	w, err := c.Window()
	if err != nil {
		return CampaignStats{}, err
	}
	found, err := report.FiguresOf(c.Context(), c.Store.Conn(), c.Account.ID, "campaign_id", []uuid.UUID{id},
		w.From, w.End())
	if err != nil {
		return CampaignStats{}, err
	}
	f := found[id]
	return CampaignStats{
		Range: w.Range(), Clicks: f.Clicks, Cost: models.NewMoney(f.Cost),
		Conversions: f.Conversions(), Revenue: models.NewMoney(f.Revenue),
	}, nil
}

// CampaignStats are the totals of one campaign.
type CampaignStats struct {
	Range       bind.Range   `json:"range"`
	Clicks      int64        `json:"clicks" doc:"without bots"`
	Cost        models.Money `json:"cost"`
	Conversions int64        `json:"conversions" doc:"approved and pending"`
	Revenue     models.Money `json:"revenue" doc:"approved payouts"`
}
