package form

import (
	"cmp"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/models/bind"
)

// GoalBody is the body of PUT /goals.
type GoalBody struct {
	Key       string         `json:"key" trim:"true" required:"bad_key" bad:"bad_key" pattern:"^[a-z][a-z0-9_]{1,63}$" doc:"name of the event that reaches the goal; it never changes"`
	Name      string         `json:"name" trim:"true" bad:"invalid_input" maxLength:"120" doc:"left out: the key"`
	Kind      string         `json:"kind" trim:"true" bad:"bad_goal_shape" enum:"event,page" default:"event"`
	MatchPath string         `json:"matchPath" trim:"true" bad:"bad_goal_shape" maxLength:"500" doc:"for a page goal: a view of a page with this path reaches the goal. A slash at the end is ignored. A star at the end matches all paths that begin with the text before it. A fragment is part of the path if it begins with #/ or #!/"`
	Dedupe    string         `json:"dedupe" trim:"true" bad:"bad_goal_shape" enum:"per_click,per_order" default:"per_click" doc:"per_order: each order id counts once; without an order id, an event of the page tag counts as with per_click, and an event of POST /t/goal is refused"`
	ValueMode string         `json:"valueMode" trim:"true" bad:"bad_goal_shape" enum:"none,fixed,from_event" default:"none"`
	Value     models.Money   `json:"value" bad:"no_value" min:"0" max:"1000000000" doc:"must be above 0 if valueMode is fixed"`
	SiteID    *uuid.UUID     `json:"siteId" bad:"no_site" doc:"left out: the first active site"`
	Currency  string         `json:"currency" trim:"true" case:"upper" pattern:"^([A-Za-z]{3})?$" doc:"currency of a fixed value, and of an event that names no currency; left out: the currency of the site"`
	Status    string         `json:"status" trim:"true" enum:"pending,approved" default:"approved"`
	IsPrimary bind.Opt[bool] `json:"isPrimary" doc:"true for only one goal of a site; left out: unchanged"`
	IsActive  bind.Opt[bool] `json:"isActive" doc:"default true for a new goal; left out in a change: unchanged"`
}

// Fill copies the body to a goal, except the site, and checks the goal.
func (b GoalBody) Fill(g *models.Goal) error {
	g.Name = cmp.Or(b.Name, b.Key)
	g.IsPrimary = b.IsPrimary.Or(g.IsPrimary)
	g.GoalTerms = models.GoalTerms{
		Key: b.Key, Kind: b.Kind, MatchPath: models.GoalPath(b.MatchPath), Dedupe: b.Dedupe, ValueMode: b.ValueMode,
		Value: models.NewMoney(b.Value.Round(models.GoalValuePlaces)), Currency: b.Currency, Status: b.Status, IsActive: b.IsActive.Or(g.IsActive),
	}
	return g.Check()
}
