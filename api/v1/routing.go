package v1

import (
	"cmp"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/v1/reporting"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

func (d Deps) routingTool() route.Route {
	return route.New("GET", "/tools/routing", "Campaigns", "every campaign's rules, paths and destinations, with figures for the window",
		route.Handle(d.routing)).WithWindow().WithShare(route.Lists)
}

// Routing has the flows of all campaigns.
type Routing struct {
	Range     bind.Range        `json:"range"`
	Campaigns []RoutingCampaign `json:"campaigns" doc:"pinned campaigns first, then the others, newest first"`
}

// RoutingCampaign is a campaign with its flow.
type RoutingCampaign struct {
	ID             uuid.UUID     `json:"id"`
	Name           string        `json:"name"`
	Alias          string        `json:"alias"`
	URL            string        `json:"url" doc:"the tracking link"`
	Status         string        `json:"status" enum:"active,paused,archived"`
	FlowRotation   string        `json:"flow_rotation" enum:"position,weight"`
	BindVisitors   string        `json:"bind_visitors" enum:"none,streams,streams_landers,streams_landers_offers"`
	FallbackURL    string        `json:"fallback_url"`
	DestinationURL string        `json:"destination_url"`
	Rules          []RoutingRule `json:"rules" doc:"all rules that the campaign's paths use"`
	Paths          []RoutingPath `json:"paths"`

	answer.Figures
}

// RoutingRule is a rule that paths use. Only a saved rule has an id.
type RoutingRule struct {
	flow.RuleRef
	PathIDs []string `json:"path_ids" doc:"ids of the paths that use the rule"`
}

// RoutingPath is a path of a flow.
type RoutingPath struct {
	ID           string               `json:"id"`
	Name         string               `json:"name"`
	StreamType   string               `json:"stream_type" enum:"regular,forced,default"`
	Action       string               `json:"action" enum:"lander,offer,redirect,campaign,nothing"`
	Transition   string               `json:"transition"`
	RuleGroup    int                  `json:"rule_group"`
	Weight       float64              `json:"weight"`
	DailyCap     *int                 `json:"daily_cap"`
	IsActive     bool                 `json:"is_active"`
	Logic        string               `json:"logic" enum:"and,or"`
	Filters      []cond.Condition     `json:"filters"`
	Rules        []string             `json:"rules" doc:"names of the path's rules"`
	CampaignID   *uuid.UUID           `json:"campaign_id" doc:"the campaign to which the path passes visitors on"`
	Destinations []RoutingDestination `json:"destinations"`

	answer.Figures
}

// RoutingDestination is a destination of a path.
type RoutingDestination struct {
	Kind   string     `json:"kind" enum:"offer,lander,url"`
	ID     *uuid.UUID `json:"id"`
	Name   string     `json:"name" doc:"name of the offer or landing page; empty: the destination is an address, or its record does not exist any more"`
	URL    string     `json:"url" doc:"the address of a destination that is not a record"`
	Status *string    `json:"status" enum:"active,paused" doc:"status of the offer or landing page; null: the destination is an address"`
	Weight float64    `json:"weight"`
	Slot   *int       `json:"slot"`
}

func (d Deps) routing(c *route.Call) (Routing, error) {
	out := Routing{Range: c.Window.Range(), Campaigns: []RoutingCampaign{}}
	table := c.Store.Campaigns()
	list, err := table.Routed(c.Context(), c.Account.ID)
	if err != nil || len(list) == 0 {
		return out, err
	}
	var ids []uuid.UUID
	for _, campaign := range list {
		destinations, _, _ := flow.References(campaign.Paths)
		ids = append(ids, destinations...)
	}
	records, err := table.FlowRecords(c.Context(), c.Account.ID, ids)
	if err != nil {
		return out, err
	}
	figures, err := d.routingFigures(c)
	for _, campaign := range list {
		out.Campaigns = append(out.Campaigns, d.routingCampaign(campaign, records, figures))
	}
	return out, err
}

func (d Deps) routingFigures(c *route.Call) (map[string]models.Figures, error) {
	q := reporting.InWindow(c)
	q.Dimensions = []string{"campaign_id", "stream_id"}
	rows, err := d.reports(c).Performance(c.Context(), q)
	sums := map[string]models.Figures{}
	for _, r := range rows {
		for _, id := range r.Dims {
			sums[id] = sums[id].Plus(r.Figures)
		}
	}
	return sums, err
}

func (d Deps) routingCampaign(campaign store.RoutedCampaign, records map[uuid.UUID]store.FlowRecord,
	figures map[string]models.Figures,
) RoutingCampaign {
	out := RoutingCampaign{
		ID: campaign.ID, Name: campaign.Name, Alias: campaign.Alias, URL: d.link(campaign.Campaign), Status: campaign.Status,
		FlowRotation: campaign.FlowRotation, BindVisitors: campaign.BindVisitors, FallbackURL: campaign.FallbackURL,
		DestinationURL: campaign.DestinationURL, Rules: []RoutingRule{}, Paths: []RoutingPath{},
		Figures: figures[campaign.ID.String()].Row(),
	}
	known := map[string]int{}
	for i := range campaign.Paths {
		p := &campaign.Paths[i]
		shown := routingPath(p, records)
		shown.Figures = figures[p.ID].Row()
		for _, r := range p.Rules {
			at, ok := known[r.Name]
			if !ok {
				at = len(out.Rules)
				known[r.Name] = at
				out.Rules = append(out.Rules, RoutingRule{RuleRef: r})
			}
			out.Rules[at].PathIDs = append(out.Rules[at].PathIDs, p.ID)
			shown.Rules = append(shown.Rules, r.Name)
		}
		out.Paths = append(out.Paths, shown)
	}
	return out
}

func routingPath(p *flow.Path, records map[uuid.UUID]store.FlowRecord) RoutingPath {
	out := RoutingPath{
		ID: p.ID, Name: p.Name, StreamType: p.StreamType, Action: p.Action, Transition: p.Transition,
		RuleGroup: p.RuleGroup, Weight: p.Weight, DailyCap: p.DailyCap, IsActive: p.IsActive, Logic: p.Logic,
		Filters: p.Filters, Rules: []string{}, Destinations: []RoutingDestination{},
	}
	if id, err := uuid.Parse(p.CampaignID); err == nil {
		out.CampaignID = &id
	}
	for _, d := range p.Destinations {
		shown := RoutingDestination{Kind: "url", URL: d.URL, Weight: d.Weight, Slot: answer.OrNull(d.Slot)}
		if id, err := uuid.Parse(d.ID); err == nil {
			r := records[id]
			shown.ID, shown.Name, shown.Status, shown.Kind = &id, r.Name, new(models.StatusOf(r.IsActive)), cmp.Or(r.Kind, "offer")
		}
		out.Destinations = append(out.Destinations, shown)
	}
	return out
}
