package v1

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bind"
)

// goals returns the routes of /goals.
func goals(d Deps) []route.Route {
	row := func(method, path, summary string, handle route.Handler, codes ...string) route.Route {
		return route.New(method, "/goals"+path, goalsGroup, summary, handle, route.Codes(codes...))
	}
	ofSite := route.Param{Name: "site", Type: "uuid", Doc: "of this site; left out: the first active one"}
	save := row("PUT", "", "create or change a goal by key", route.HandleBody(saveGoal), "400 bad_key bad_goal_shape no_value no_site",
		"402 plan_limit", "409 duplicate_name")
	save.Echoes = []any{GoalRow{}} // other routes return goals only as a list
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

// GoalBody is the body of PUT /goals. A field that is left out gets its default, except isPrimary and isActive, which keep their
// values.
type GoalBody struct {
	Key       string         `json:"key" trim:"true" required:"bad_key" bad:"bad_key" pattern:"^[a-z][a-z0-9_]{1,63}$" doc:"name of the event that reaches it; it never changes"`
	Name      string         `json:"name" trim:"true" bad:"invalid_input" maxLength:"120" doc:"left out: the key"`
	Kind      string         `json:"kind" trim:"true" bad:"bad_goal_shape" enum:"event,page" default:"event"`
	MatchPath string         `json:"matchPath" trim:"true" bad:"bad_goal_shape" maxLength:"500" doc:"of a page goal: the path that fires it, without regard to a final slash; with a star at its end all paths that begin so. A fragment belongs to it if it begins with #/ or #!/"`
	Dedupe    string         `json:"dedupe" trim:"true" bad:"bad_goal_shape" enum:"per_click,per_order" default:"per_click" doc:"per_order: each order id counts; of the page tag an event without one counts per_click, of POST /t/goal it is refused"`
	ValueMode string         `json:"valueMode" trim:"true" bad:"bad_goal_shape" enum:"none,fixed,from_event" default:"none"`
	Value     models.Money   `json:"value" bad:"no_value" min:"0" max:"1000000000" doc:"for fixed above 0"`
	SiteID    *uuid.UUID     `json:"siteId" bad:"no_site" doc:"left out: the first active site"`
	Currency  string         `json:"currency" trim:"true" case:"upper" pattern:"^([A-Za-z]{3})?$" doc:"left out: that of the event, else of the site"`
	Status    string         `json:"status" trim:"true" enum:"pending,approved" default:"approved"`
	IsPrimary bind.Opt[bool] `json:"isPrimary" doc:"one goal of a site is; left out: as it is"`
	IsActive  bind.Opt[bool] `json:"isActive" doc:"default true; left out: as it is"`
}

// fill copies the fields of the body to a goal and checks the goal.
func (b GoalBody) fill(g *models.Goal) error {
	g.Name = cmp.Or(b.Name, b.Key)
	g.IsPrimary = b.IsPrimary.Or(g.IsPrimary)
	g.GoalTerms = models.GoalTerms{
		Key: b.Key, Kind: b.Kind, MatchPath: models.GoalPath(b.MatchPath), Dedupe: b.Dedupe, ValueMode: b.ValueMode,
		Value: models.NewMoney(b.Value.Round(models.GoalValuePlaces)), Currency: b.Currency, Status: b.Status, IsActive: b.IsActive.Or(g.IsActive),
	}
	return g.Check()
}

// GoalAnswer is a goal.
type GoalAnswer struct {
	Goal models.Goal `json:"goal"`
}

func saveGoal(c *route.Call, b GoalBody) (GoalAnswer, error) {
	g, err := c.Store.Sites().SaveGoal(c.Context(), c.Account.ID, answer.ValueOrZero(b.SiteID), b.Key, b.fill)
	return GoalAnswer{g}, err
}

// GoalSecret is the answer of POST /goals.
type GoalSecret struct {
	Secret string `json:"secret" doc:"shown this once"`
	Note   string `json:"note"`
}

func rotateGoalSecret(c *route.Call) (GoalSecret, error) {
	secret, err := c.Store.Sites().RotateGoalSecret(c.Context(), c.Account.ID)
	return GoalSecret{secret, "Keep it on your server: it is not shown again. The old one counts for 24 hours more, so that no goal is lost meanwhile."}, err
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
	Campaigns []LeadCampaign `json:"campaigns" doc:"of mode lead, newest first, at most 100"`
}

// LeadCampaign is a campaign with its landing pages.
type LeadCampaign struct {
	ID             uuid.UUID    `json:"id"`
	Name           string       `json:"name"`
	Status         string       `json:"status" enum:"active,paused,archived"`
	SiteID         *uuid.UUID   `json:"siteId" doc:"its measurement_site_id"`
	PrimaryGoalKey *string      `json:"primaryGoalKey"`
	GoalKeys       []string     `json:"goalKeys" doc:"its tracked_goal_keys"`
	Landers        []LeadLander `json:"landers" doc:"that clicks of the last 30 days reached, most clicks first, at most 100"`
}

// LeadLander is a landing page of a campaign.
type LeadLander struct {
	ID          uuid.UUID     `json:"id"`
	Name        string        `json:"name"`
	Clicks      int64         `json:"clicks"`
	Conversions int64         `json:"conversions" doc:"approved and pending ones"`
	Revenue     models.Money  `json:"revenue"`
	CR          *models.Money `json:"cr" doc:"percent; null without clicks"`
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
			continue // the row counts clicks without a landing page
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
