package reporting

import (
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/routing"
	"switchyard/db/click"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// RouteTrace explains a routing decision.
type RouteTrace struct {
	Decision  *RouteDecision `json:"decision" doc:"null: the campaign does not exist any more, or the link of a test click does not lead to it"`
	Campaigns []RouteStage   `json:"campaigns" doc:"one for each campaign that took part in the decision, in order"`
}

// ClickTrace explains how a click was routed. The click is routed again with its recorded values: the seed of the random numbers,
// the path of a bound visitor, and all attributes except timezone, organization, url and headers. Caps count as of the time of
// the click. The flow, the offers and the landing pages are used as they are now.
type ClickTrace struct {
	FlowChanged bool `json:"flow_changed" doc:"true: the flow, its rules, its settings or the blocked values have changed since the click was routed, or the campaign was deleted"`
	Reproduced  bool `json:"reproduced" doc:"true: routing the click again led to the recorded decision"`
	RouteTrace
}

// RouteDecision is the destination of a visitor and the path that led to it.
type RouteDecision struct {
	Via        string     `json:"via" enum:"none,forced,bound,regular,default,fallback_url,destination_url"`
	CampaignID uuid.UUID  `json:"campaign_id" doc:"the campaign that decided"`
	PathID     *uuid.UUID `json:"path_id"`
	Path       string     `json:"path"`
	Action     string     `json:"action" enum:"lander,offer,redirect,campaign,nothing"`
	Transition string     `json:"transition"`
	LanderID   *uuid.UUID `json:"lander_id"`
	OfferID    *uuid.UUID `json:"offer_id"`
	URL        string     `json:"url" doc:"the destination with its tokens not filled in; empty: there is no destination"`
	Recorded   bool       `json:"recorded" doc:"whether a click with this decision is stored"`
}

// RouteStage lists the paths that were tried in a campaign.
type RouteStage struct {
	CampaignID uuid.UUID   `json:"campaign_id"`
	Campaign   string      `json:"campaign"`
	Via        string      `json:"via"`
	Blocked    *RouteBlock `json:"blocked" doc:"the visitor's blocked value, because of which no path was tried; null: the visitor has no blocked value"`
	Steps      []RouteStep `json:"steps" doc:"the paths that were tried, in order"`
}

// RouteBlock is a blocked value that a visitor has.
type RouteBlock struct {
	ListID    uuid.UUID `json:"list_id" doc:"id of a list of GET /blocks/lists"`
	Scope     string    `json:"scope" enum:"account,source,campaign"`
	Dimension string    `json:"dimension"`
	Value     string    `json:"value"`
}

// RouteStep is a path that was tried.
type RouteStep struct {
	PathID uuid.UUID   `json:"path_id"`
	Path   string      `json:"path"`
	Via    string      `json:"via" doc:"why the path was tried, for example forced, bound, regular or default"`
	Taken  bool        `json:"taken"`
	Reason *string     `json:"reason" enum:"inactive,capped,conditions,no_usable_destination,weight_zero,over_budget" doc:"why the path was not taken; null: it was taken"`
	Logic  string      `json:"logic" enum:"and,or"`
	Units  []RouteUnit `json:"units" doc:"empty: the path has no conditions, or they were not checked"`
}

// RouteUnit is the group of all filters of a path, or one of its rules.
type RouteUnit struct {
	Rule       string         `json:"rule" doc:"name of the rule; empty: this is the group of filters"`
	Matched    bool           `json:"matched"`
	Conditions []cond.Finding `json:"conditions" doc:"each condition with the visitor's value; known is false if the visitor has no value"`
}

func routeTrace(e routing.Explanation) RouteTrace {
	d := &RouteDecision{
		Via: e.Via.String(), CampaignID: e.Stages[len(e.Stages)-1].CampaignID, Action: e.Action(),
		Transition: e.Transition(), URL: e.URL(), Recorded: e.Collect,
	}
	if e.Route != nil {
		d.PathID, d.Path = &e.Route.ID, e.Route.Name
	}
	if e.Lander != nil {
		d.LanderID = &e.Lander.ID
	}
	if e.Offer != nil {
		d.OfferID = &e.Offer.ID
	}
	return RouteTrace{d, answer.Each(e.Stages, func(s routing.ExplainedStage) RouteStage {
		return RouteStage{s.CampaignID, s.Name, s.Trace.Via.String(), (*RouteBlock)(s.Trace.Blocked), answer.Each(s.Trace.Steps, routeStep)}
	})}
}

func routeStep(s flow.Step) RouteStep {
	return RouteStep{
		PathID: s.PathID, Path: s.Path, Via: s.Via, Taken: s.Refused == "", Reason: answer.OrNull(string(s.Refused)),
		Logic: s.Logic, Units: answer.Each(s.Units, func(u flow.Unit) RouteUnit { return RouteUnit(u) }),
	}
}

func (d Deps) traceClick(c *route.Call, click *click.StoredClick) (*ClickTrace, error) {
	first := routing.FirstCampaign(&click.Click)
	records, err := store.CampaignRouting(c.Context(), c.Store.Conn(), c.Account.ID, first)
	if err != nil {
		return nil, err
	}
	out := &ClickTrace{FlowChanged: true, RouteTrace: RouteTrace{Campaigns: []RouteStage{}}}
	explainer := routing.NewExplainer(records)
	if !explainer.Has(first) {
		return out, nil
	}
	q := explainer.Recorded(click, first)
	if err := d.useOfDay(c, explainer, click.At, &q); err != nil {
		return nil, err
	}
	e := explainer.Explain(q)
	out.RouteTrace = routeTrace(e)
	wasBlocked := click.PassedReason == string(flow.RefusedBlocked)
	out.FlowChanged = e.FlowHash != click.FlowHash || wasBlocked != (e.Passed.Why == flow.RefusedBlocked)
	decision := out.Decision
	// The offer behind a landing page is chosen later, so it is not compared.
	sameOffer := answer.ValueOrZero(decision.OfferID) == click.OfferID || click.LanderID != uuid.Nil
	out.Reproduced = decision.CampaignID == click.CampaignID && answer.ValueOrZero(decision.PathID) == click.StreamID &&
		answer.ValueOrZero(decision.LanderID) == click.LanderID && sameOffer
	return out, nil
}

// useOfDay counts the clicks and conversions of the account's day until the given time. Caps and the condition clicks_today
// depend on them.
func (d Deps) useOfDay(c *route.Call, p *routing.Explainer, at time.Time, q *routing.Question) (err error) {
	local := at.In(p.Zone(c.Account.ID))
	y, m, day := local.Date()
	start := time.Date(y, m, day, 0, 0, 0, 0, local.Location())
	if p.Counts() {
		rows, err := d.reports(c).Performance(c.Context(), report.Query{
			AccountID: c.Account.ID, From: start, To: at, Dimensions: []string{"campaign_id", "stream_id"},
		})
		if err != nil {
			return err
		}
		q.Clicks = map[uuid.UUID]int{}
		for _, r := range rows {
			for _, text := range r.Dims {
				if id, err := uuid.Parse(text); err == nil {
					q.Clicks[id] += int(r.Clicks)
				}
			}
		}
	}
	if p.Capped() {
		q.Conversions, err = d.reports(c).ConversionsIn(c.Context(), c.Account.ID, start, at)
	}
	return err
}
