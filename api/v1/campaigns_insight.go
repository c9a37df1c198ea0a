package v1

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/api/v1/resource"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/copilot"
)

// insight returns the routes that read the figures and the changes of campaigns, and the route that deletes clicks.
func (d Deps) insight() []route.Route {
	const group = "Campaigns"
	days := route.Number("days", 7, 1, 365, "number of days, including today")
	return []route.Route{
		route.New("GET", "/campaigns/activity", group, "clicks and goals of the last 7 days, for the campaigns with this alias",
			route.Handle(d.campaignActivity), route.Codes("400 no_alias")).
			WithShare(route.Reads).WithQuery(route.Param{Name: "alias", Type: "string", Required: true}),
		route.New("GET", "/campaigns/arrivals", group, "how visitors were identified", route.Handle(d.arrivals)).
			WithShare(route.Reads).WithQuery(route.Param{Name: "alias", Type: "string", Doc: "empty: all campaigns"}, days),
		route.New("GET", "/campaigns/{id}/funnel", group, "how many clicks reached each step up to the sale", route.Handle(d.funnel), route.Codes("404 not_found")).
			WithShare(route.Reads).
			WithQuery(days, route.Param{Name: "by", Enum: []string{"lander", "source"}, Doc: "splits the funnel"}),
		route.New("GET", "/campaigns/{id}/compare", group, "which path, landing page or offer is better, and how certain that is",
			route.HandleRecord((*store.Store).Campaigns, d.compareCampaign), answer.IDCodes, route.Codes("400 too_large")).
			WithWindow().WithShare(route.Reads).
			WithQuery(route.Param{Name: "by", Enum: compareBy, Default: copilot.ByPath}),
		route.New("GET", "/campaigns/{id}/changes", group, "who changed what in a campaign within the window, newest first",
			route.HandleRecord((*store.Store).Campaigns, campaignChanges), answer.IDCodes).WithWindow().WithPage(),
		route.New("DELETE", "/campaigns/{id}/stats", group,
			"delete the clicks of the window with their conversions, for good. If from and to are left out, the window is the last seven days",
			route.HandleRecord((*store.Store).Campaigns, d.clearCampaign), answer.IDCodes).WithWindow().Awaits(clearJob.Answer()),
	}
}

// lastDays returns the window of the last n days in UTC, including today.
func lastDays(n int) (from, to time.Time) {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	return today.AddDate(0, 0, 1-n), today.AddDate(0, 0, 1)
}

func campaignChanges(c *route.Call, _ models.Campaign) (resource.Listed[answer.RecordedChange], error) {
	campaign := uuid.NullUUID{UUID: c.ID, Valid: true}
	list, next, err := c.Store.Changes(c.Context(), c.Account.ID, c.Window.From, c.Window.End(), campaign, c.Page)
	return resource.Listed[answer.RecordedChange]{Rows: answer.Each(list, answer.ChangeOf), NextCursor: answer.Cursor(next)}, err
}

// CampaignActivity counts the clicks and goals of the last 7 days, for the campaigns with the requested alias.
type CampaignActivity struct {
	Clicks int64 `json:"clicks" doc:"without bots"`
	Goals  int64 `json:"goals" doc:"goals reached: approved and pending, each once for a click"`
}

func (d Deps) campaignActivity(c *route.Call) (CampaignActivity, error) {
	alias := strings.TrimSpace(c.Query.Get("alias"))
	if alias == "" {
		return CampaignActivity{}, models.Invalid("no_alias", "alias is required")
	}
	ids, err := c.Store.Campaigns().ByAlias(c.Context(), c.Account.ID, alias)
	if err != nil || len(ids) == 0 {
		return CampaignActivity{}, err
	}
	from, to := lastDays(7)
	sum, err := d.reports(c).Totals(c.Context(), report.Query{
		AccountID: c.Account.ID, From: from, To: to, Filters: []report.Filter{report.IDs("campaign_id", ids...)},
	})
	if err != nil {
		return CampaignActivity{}, err
	}
	out := CampaignActivity{Clicks: sum.Clicks}
	goals, err := d.reports(c).GoalsOf(c.Context(), c.Account.ID, ids, "", from, to)
	for _, g := range goals {
		if g.Goal != report.AnyGoal {
			out.Goals += g.Clicks
		}
	}
	return out, err
}

// Arrivals reports how the visitors of one or more campaigns were identified.
type Arrivals struct {
	Arrivals []Arrival `json:"arrivals" doc:"most clicks first"`
}

// Arrival is a way of identifying visitors.
type Arrival struct {
	Arrival      string        `json:"arrival" doc:"how the page found the click, taken from the click's first event: url, cookie, local, redirect, gclid, fbclid, msclkid or ttclid. Without an event: cookie for a known visitor, redirect for a new one"`
	Clicks       int64         `json:"clicks" doc:"without bots"`
	UniqueClicks int64         `json:"unique_clicks"`
	Share        *models.Money `json:"share" doc:"percent of the clicks"`
}

func (d Deps) arrivals(c *route.Call) (Arrivals, error) {
	out := Arrivals{Arrivals: []Arrival{}}
	q := report.Query{AccountID: c.Account.ID, Dimensions: []string{"arrival"}}
	q.From, q.To = lastDays(c.Numbers["days"])
	if alias := strings.TrimSpace(c.Query.Get("alias")); alias != "" {
		ids, err := c.Store.Campaigns().ByAlias(c.Context(), c.Account.ID, alias)
		if err != nil || len(ids) == 0 {
			return out, err
		}
		q.Filters = []report.Filter{report.IDs("campaign_id", ids...)}
	}
	rows, err := d.reports(c).Performance(c.Context(), q)
	var total int64
	for _, r := range rows {
		total += r.Clicks
	}
	for _, r := range rows {
		if r.Clicks > 0 {
			out.Arrivals = append(out.Arrivals, Arrival{r.Dims[0], r.Clicks, r.UniqueClicks, models.Percent(r.Clicks, total)})
		}
	}
	return out, err
}

// Funnel has the steps from the click to the sale.
type Funnel struct {
	Steps          []FunnelStep  `json:"steps"`
	Days           int           `json:"days"`
	Mode           string        `json:"mode" enum:"affiliate,lead,store"`
	PrimaryGoalKey *string       `json:"primaryGoalKey" doc:"the campaign's primary goal, else the primary goal of its measurement site"`
	GoalKeys       []string      `json:"goalKeys" doc:"the campaign's tracked goals, else the active goals of its measurement site; then the primary goal, if it is missing; then other goals that were reached"`
	Split          *FunnelSplits `json:"split" doc:"null if by is not sent"`
}

// FunnelStep is a step of the funnel with the number of clicks that reached it.
type FunnelStep struct {
	Key   string        `json:"key" doc:"clicks, lp_views, lp_clicks, goal:<key>, conversions or sales"`
	Count int64         `json:"count"`
	Rate  *models.Money `json:"rate" doc:"percent of the clicks; null if there are no clicks"`
}

// FunnelSplits are the funnels of all landing pages or traffic sources, most clicks first.
type FunnelSplits struct {
	By   string        `json:"by" enum:"lander,source"`
	Rows []FunnelSplit `json:"rows"`
}

// FunnelSplit is the funnel of a landing page or a traffic source.
type FunnelSplit struct {
	ID    *uuid.UUID   `json:"id" doc:"null: the clicks without a landing page or traffic source"`
	Name  string       `json:"name"`
	Steps []FunnelStep `json:"steps"`
}

func (d Deps) funnel(c *route.Call) (Funnel, error) {
	days, by := c.Numbers["days"], c.Query.Get("by")
	if by != "" && by != report.ByLander && by != report.BySource {
		return Funnel{}, models.Invalid("invalid_input", "by must be lander or source")
	}
	campaign, err := c.Store.Campaigns().Find(c.Context(), c.Account.ID, c.ID)
	if err != nil {
		return Funnel{}, err
	}
	if err := useGoalsOfSite(c, &campaign); err != nil {
		return Funnel{}, err
	}
	out := Funnel{Days: days, Mode: campaign.Mode, PrimaryGoalKey: answer.OrNull(campaign.PrimaryGoalKey)}
	splits, err := d.countSplits(c, campaign, days, "")
	if err != nil {
		return out, err
	}
	out.GoalKeys = goalKeys(campaign, splits)
	total := &splitCounts{}
	if len(splits) > 0 {
		total = splits[0]
	}
	out.Steps = total.steps(campaign.PrimaryGoalKey, out.GoalKeys)
	if by == "" {
		return out, nil
	}
	splits, err = d.countSplits(c, campaign, days, by)
	if err != nil {
		return out, err
	}
	names, err := c.Store.Labels(c.Context(), c.Account.ID, by+"_id",
		answer.Each(splits, func(s *splitCounts) string { return s.id.String() }))
	out.Split = &FunnelSplits{by, answer.Each(splits, func(s *splitCounts) FunnelSplit {
		return FunnelSplit{answer.OrNull(s.id), names[s.id.String()], s.steps(campaign.PrimaryGoalKey, out.GoalKeys)}
	})}
	return out, err
}

// useGoalsOfSite fills the empty goal settings of a campaign from its measurement site.
func useGoalsOfSite(c *route.Call, campaign *models.Campaign) error {
	if !campaign.MeasurementSiteID.Valid || campaign.PrimaryGoalKey != "" && len(campaign.TrackedGoalKeys) > 0 {
		return nil
	}
	goals, err := c.Store.Sites().Goals(c.Context(), c.Account.ID, campaign.MeasurementSiteID.UUID)
	tracked := len(campaign.TrackedGoalKeys) > 0
	for _, g := range goals {
		if g.IsPrimary && g.IsActive && campaign.PrimaryGoalKey == "" {
			campaign.PrimaryGoalKey = g.Key
		}
		if g.IsActive && !tracked {
			campaign.TrackedGoalKeys = append(campaign.TrackedGoalKeys, g.Key)
		}
	}
	return err
}

// splitCounts has the counts of a landing page, of a source, or of the whole campaign.
type splitCounts struct {
	id      uuid.UUID
	figures models.Figures
	goals   map[string]report.GoalCount
}

func (s *splitCounts) steps(primary string, goals []string) []FunnelStep {
	f := s.figures
	out := []FunnelStep{
		{Key: "clicks", Count: f.Clicks}, {Key: "lp_views", Count: f.LPViews}, {Key: "lp_clicks", Count: f.LPClicks},
	}
	for _, g := range goals {
		if g != primary {
			out = append(out, FunnelStep{Key: "goal:" + g, Count: s.goals[g].Clicks})
		}
	}
	final := s.goals[cmp.Or(primary, report.AnyGoal)]
	out = append(out, FunnelStep{Key: "conversions", Count: final.Clicks}, FunnelStep{Key: "sales", Count: final.Approved})
	for i := range out {
		out[i].Rate = models.Percent(out[i].Count, f.Clicks)
	}
	return out
}

// countSplits counts a campaign's clicks and goals by landing page or source, most clicks first. If by is empty, it counts the
// whole campaign.
func (d Deps) countSplits(c *route.Call, campaign models.Campaign, days int, by string) ([]*splitCounts, error) {
	q := report.Query{AccountID: c.Account.ID, Filters: []report.Filter{report.IDs("campaign_id", campaign.ID)}}
	q.From, q.To = lastDays(days)
	if by != "" {
		q.Dimensions = []string{by + "_id"}
	}
	rows, err := d.reports(c).Performance(c.Context(), q)
	if err != nil {
		return nil, err
	}
	var list []*splitCounts
	found := map[uuid.UUID]*splitCounts{}
	countsOf := func(id uuid.UUID) *splitCounts {
		if found[id] == nil {
			found[id] = &splitCounts{id: id, goals: map[string]report.GoalCount{}}
			list = append(list, found[id])
		}
		return found[id]
	}
	for _, r := range rows {
		id := uuid.Nil
		if len(r.Dims) > 0 && r.Dims[0] != "" {
			if id, err = uuid.Parse(r.Dims[0]); err != nil {
				return nil, err
			}
		}
		countsOf(id).figures = r.Figures
	}
	goals, err := d.reports(c).GoalsOf(c.Context(), c.Account.ID, []uuid.UUID{campaign.ID}, by, q.From, q.To)
	for _, g := range goals {
		countsOf(g.Split).goals[g.Goal] = g
	}
	return list, err
}

// goalKeys returns the campaign's tracked goals and its primary goal. Other goals that were reached follow in alphabetical order.
func goalKeys(campaign models.Campaign, splits []*splitCounts) []string {
	keys := append([]string{}, campaign.TrackedGoalKeys...)
	if p := campaign.PrimaryGoalKey; p != "" && !slices.Contains(keys, p) {
		keys = append(keys, p)
	}
	known := len(keys)
	for _, s := range splits {
		for g := range s.goals {
			if g != "" && g != report.AnyGoal && !slices.Contains(keys, g) {
				keys = append(keys, g)
			}
		}
	}
	slices.Sort(keys[known:])
	return keys
}

// ClearedStats counts the deleted clicks and conversions.
type ClearedStats struct {
	ID          uuid.UUID  `json:"id" doc:"the campaign"`
	Range       bind.Range `json:"range"`
	Clicks      int64      `json:"clicks" doc:"deleted clicks, without bots"`
	BotClicks   int64      `json:"bot_clicks" doc:"deleted clicks of bots"`
	Conversions int64      `json:"conversions" doc:"deleted conversions: all conversions of these clicks, whenever they came"`
}

var clearJob = slow.New(jobs.ClearCampaign, func(a jobs.ClearAnswer) ClearedStats {
	return ClearedStats{a.Of[0], bind.RangeOf(a.From, a.To), a.Clicks, a.BotClicks, a.Conversions}
})

func (d Deps) clearCampaign(c *route.Call, _ models.Campaign) (ClearedStats, error) {
	return clearJob.Start(c, d.Jobs, jobs.ClearArgs{Of: []uuid.UUID{c.ID}, From: c.Window.From, To: c.Window.End()}, nil)
}
