package v1

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bind"
	"switchyard/models/form"
)

// goals returns the routes of /goals.
func goals(d Deps) []route.Route {
	row := func(method, path, summary string, handle route.Handler, codes ...string) route.Route {
		return route.New(method, "/goals"+path, goalsGroup, summary, handle, route.Codes(codes...))
	}
	ofSite := route.Param{Name: "site", Type: "uuid", Doc: "id of the site; left out: the first active site"}
	save := row("PUT", "", "create or change a goal by key", route.HandleBody(saveGoal), "400 bad_key bad_goal_shape no_value no_site",
		"402 plan_limit", "409 duplicate_name")
	save.Version = goalVersion
	save.Echoes = []any{GoalRow{}} // a client can send back a row of GET /goals
	return []route.Route{
		row("GET", "", "a site's goals with figures", route.Handle(d.listGoals)).WithQuery(ofSite).WithShare(route.Lists),
		save,
		row("POST", "", "rotate the server-to-server goal secret", route.Handle(rotateGoalSecret)),
		row("DELETE", "", "delete a goal; its conversions stay", route.Handle(removeGoal), "400 no_key no_site").
			WithQuery(route.Param{Name: "key", Required: true, Doc: "the goal's key"}, ofSite),
		row("GET", "/landers", "lead campaigns and the landing pages that their clicks reached", route.Handle(d.goalLanders)).
			WithShare(route.Lists),
	}
}

// GoalAnswer is a goal.
type GoalAnswer struct {
	Goal models.Goal `json:"goal"`
}

func saveGoal(c *route.Call, b form.GoalBody) (GoalAnswer, error) {
	g, err := c.Store.Sites().SaveGoal(c.Context(), c.Account.ID, answer.ValueOrZero(b.SiteID), b.Key, b.Fill)
	return GoalAnswer{g}, err
}

// goalVersion locks the goal in the body and returns its version.
func goalVersion(c *route.Call, _ uuid.UUID) (string, error) {
	var b struct {
		Key    string    `json:"key"`
		SiteID uuid.UUID `json:"siteId"`
	}
	_ = json.Unmarshal(c.Body, &b) // the handler reports what is wrong with the body
	g, err := c.Store.Sites().LockGoal(c.Context(), c.Account.ID, b.SiteID, b.Key)
	return g.UpdatedAt.Text(), err
}

// GoalSecret is the answer of POST /goals.
type GoalSecret struct {
	Secret string `json:"secret" doc:"shown only in this answer"`
	Note   string `json:"note"`
}

func rotateGoalSecret(c *route.Call) (GoalSecret, error) {
	secret, err := c.Store.Sites().RotateGoalSecret(c.Context(), c.Account.ID)
	return GoalSecret{secret, "Store the secret on your server: it is not shown again. The old secret stays valid for 24 hours, so that no goal is lost during the switch."}, err
}

// GoalDeleted is the answer of DELETE /goals.
type GoalDeleted struct {
	Deleted bool `json:"deleted" doc:"false: the site had no such goal"`
}

func removeGoal(c *route.Call) (out GoalDeleted, err error) {
	key := c.Query.Get("key")
	if key == "" {
		return out, models.Invalid("no_key", "key must name a goal")
	}
	site, err := bind.QueryID(c.Query, "site", "no_site")
	if err != nil {
		return out, err
	}
	out.Deleted, err = c.Store.Sites().RemoveGoal(c.Context(), c.Account.ID, site, key)
	return out, err
}

// LeadCampaigns is the answer of GET /goals/landers.
type LeadCampaigns struct {
	Campaigns []LeadCampaign `json:"campaigns" doc:"campaigns of the mode lead, newest first, at most 100"`
}

// LeadCampaign is a campaign with its landing pages.
type LeadCampaign struct {
	ID             uuid.UUID    `json:"id"`
	Name           string       `json:"name"`
	Status         string       `json:"status" enum:"active,paused,archived"`
	SiteID         *uuid.UUID   `json:"siteId" doc:"the campaign's measurement_site_id"`
	PrimaryGoalKey *string      `json:"primaryGoalKey"`
	GoalKeys       []string     `json:"goalKeys" doc:"the campaign's tracked_goal_keys"`
	Landers        []LeadLander `json:"landers" doc:"landing pages that clicks of the last 30 days reached, most clicks first, at most 100"`
}

// LeadLander is a landing page of a campaign.
type LeadLander struct {
	ID          uuid.UUID     `json:"id"`
	Name        string        `json:"name"`
	Clicks      int64         `json:"clicks"`
	Conversions int64         `json:"conversions" doc:"approved and pending conversions"`
	Revenue     models.Money  `json:"revenue"`
	CR          *models.Money `json:"cr" doc:"conversion rate in percent; null: there are no clicks"`
}

const (
	leadCampaigns = 100
	leadLanders   = 100
)

func (d Deps) goalLanders(c *route.Call) (LeadCampaigns, error) {
	out := LeadCampaigns{Campaigns: []LeadCampaign{}}
	list, err := c.Store.Campaigns().ListByMode(c.Context(), c.Account.ID, models.SiteLead, leadCampaigns)
	if err != nil || len(list) == 0 {
		return out, err
	}
	ids := answer.Each(list, models.Campaign.RecordID)
	q := report.Query{
		AccountID: c.Account.ID, Dimensions: []string{"campaign_id", "lander_id"},
		Filters: []report.Filter{report.IDs("campaign_id", ids...)},
	}
	q.From, q.To = lastDays(goalDays)
	rows, err := d.reports(c).Performance(c.Context(), q)
	if err != nil {
		return out, err
	}
	landersOf := map[string][]LeadLander{}
	for _, r := range rows {
		id, err := uuid.Parse(r.Dims[1])
		if err != nil || r.Clicks == 0 {
			continue
		}
		landersOf[r.Dims[0]] = append(landersOf[r.Dims[0]], LeadLander{
			ID: id, Clicks: r.Clicks, Conversions: r.Conversions(), Revenue: models.NewMoney(r.Revenue), CR: r.CR(),
		})
	}
	names, err := c.Store.Labels(c.Context(), c.Account.ID, "lander_id", answer.Each(rows, func(r report.Row) string { return r.Dims[1] }))
	for _, campaign := range list {
		landers := landersOf[campaign.ID.String()]
		slices.SortStableFunc(landers, func(a, b LeadLander) int { return cmp.Compare(b.Clicks, a.Clicks) })
		landers = landers[:min(len(landers), leadLanders)]
		for i := range landers {
			landers[i].Name = names[landers[i].ID.String()]
		}
		out.Campaigns = append(out.Campaigns, LeadCampaign{
			ID: campaign.ID, Name: campaign.Name, Status: campaign.Status, PrimaryGoalKey: answer.OrNull(campaign.PrimaryGoalKey),
			SiteID: answer.OrNull(campaign.MeasurementSiteID.UUID), GoalKeys: append([]string{}, campaign.TrackedGoalKeys...),
			Landers: append([]LeadLander{}, landers...),
		})
	}
	return out, err
}
