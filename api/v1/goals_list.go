package v1

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/api/answer"
	"switchyard/api/route"
	"switchyard/db/report"
	"switchyard/models"
	"switchyard/models/bind"
)

// The figures of goals cover goalDays days, and live events the last liveMinutes minutes.
const (
	goalDays    = 30
	liveMinutes = 5
)

// GoalList is the answer of GET /goals. The figures, except Live, cover the last 30 days.
type GoalList struct {
	Site            *models.Site      `json:"site" doc:"the site that the goals belong to; null: the account does not have the requested site or, if the call names no site, has no active site"`
	Sites           []models.Site     `json:"sites"`
	Goals           []GoalRow         `json:"goals" doc:"the primary goal first, then the others, oldest first"`
	SiteKey         string            `json:"siteKey" doc:"the account's public key, for data-site of the page tag"`
	SecretSet       bool              `json:"secretSet" doc:"whether the account has a secret, with which its servers can report goals"`
	SecretSetAt     *string           `json:"secretSetAt" doc:"when the secret was made"`
	Currency        string            `json:"currency" doc:"the site's currency; if there is no site, the account's"`
	Products        []GoalProduct     `json:"products" doc:"products of the events that have an order id; each order counts once; most revenue first, at most 50"`
	Live            GoalsLive         `json:"live"`
	SiteTotals      GoalTotals        `json:"siteTotals"`
	Suggested       []GoalSuggested   `json:"suggested" doc:"goals that the site does not have yet: goals for events that the site sends, and goals that most sites of its kind have; at most 20"`
	PlanIncludes    bool              `json:"planIncludes" doc:"whether the plan includes goal tracking"`
	TrackingDomains []string          `json:"trackingDomains" doc:"the account's own hosts that serve the page tag"`
	SharedDomains   []string          `json:"sharedDomains" doc:"hosts that serve the page tag of every account"`
	TagNames        map[string]string `json:"tagNames" doc:"for each host that has a name for its page tag, the name; the host also serves the tag as /{name}.js"`
	Days            int               `json:"days" doc:"how many days the figures cover"`
}

// GoalRow is a goal with its figures.
type GoalRow struct {
	models.Goal
	Events         int64        `json:"events" doc:"events that reached the goal"`
	Clicks         int64        `json:"clicks" doc:"clicks whose visitors reached the goal"`
	Conversions    int64        `json:"conversions" doc:"approved and pending conversions"`
	Approved       int64        `json:"approved"`
	Pending        int64        `json:"pending"`
	Revenue        models.Money `json:"revenue" doc:"revenue of approved conversions, in the account's currency"`
	PendingRevenue models.Money `json:"pendingRevenue" doc:"revenue of pending conversions, in the account's currency"`
	LastAt         *string      `json:"lastAt" doc:"when a visitor last reached the goal"`
}

// GoalTotals are the figures of a site.
type GoalTotals struct {
	Events      int64        `json:"events"`
	Views       int64        `json:"views"`
	Clicks      int64        `json:"clicks" doc:"clicks whose visitors were on the site"`
	Orders      int64        `json:"orders" doc:"number of different order ids"`
	Conversions int64        `json:"conversions" doc:"approved and pending conversions of all goals"`
	Revenue     models.Money `json:"revenue" doc:"revenue of approved conversions, in the account's currency"`
}

// GoalProduct is a product that visitors have ordered.
type GoalProduct struct {
	SKU      string       `json:"sku"`
	Name     string       `json:"name"`
	Currency string       `json:"currency" doc:"currency of the revenue"`
	Orders   int64        `json:"orders"`
	Quantity int64        `json:"quantity"`
	Revenue  models.Money `json:"revenue"`
}

// GoalsLive shows the activity on the site in the last minutes.
type GoalsLive struct {
	WindowMinutes int         `json:"windowMinutes"`
	Clicks        int64       `json:"clicks" doc:"clicks whose visitors are on the site"`
	Views         int64       `json:"views"`
	Events        int64       `json:"events"`
	Latest        []LiveEvent `json:"latest" doc:"newest first, at most 20"`
}

// LiveEvent is an event that a visitor has just caused.
type LiveEvent struct {
	At       string       `json:"at"`
	Name     string       `json:"name"`
	Host     string       `json:"host"`
	Path     string       `json:"path"`
	ClickID  *string      `json:"clickId"`
	Source   string       `json:"source" doc:"tag or goal_api"`
	Value    models.Money `json:"value"`
	Currency string       `json:"currency"`
	Goals    []string     `json:"goals" doc:"keys of the goals that the event reached"`
}

// GoalSuggested is a suggested goal for the site.
type GoalSuggested struct {
	Key       string  `json:"key"`
	Name      string  `json:"name"`
	Kind      string  `json:"kind" enum:"event,page"`
	MatchPath string  `json:"matchPath"`
	Dedupe    string  `json:"dedupe" enum:"per_click,per_order"`
	ValueMode string  `json:"valueMode" enum:"none,fixed,from_event"`
	Events    int64   `json:"events" doc:"how many such events the site sent; no goal counts them yet"`
	LastAt    *string `json:"lastAt"`
}

func (d Deps) listGoals(c *route.Call) (GoalList, error) {
	id, err := bind.QueryID(c.Query, "site", "invalid_input")
	if err != nil {
		return GoalList{}, err
	}
	out, err := d.siteSettings(c)
	if err != nil {
		return out, err
	}
	i := slices.IndexFunc(out.Sites, func(s models.Site) bool { return s.ID == id || id == uuid.Nil && s.IsActive })
	if i < 0 {
		return out, nil
	}
	out.Site, out.Currency = &out.Sites[i], out.Sites[i].Currency
	goals, err := c.Store.Sites().Goals(c.Context(), c.Account.ID, out.Site.ID)
	if err != nil {
		return out, err
	}
	now := time.Now()
	r, err := d.reports(c).Site(c.Context(), c.Account.ID, out.Site.ID, now.AddDate(0, 0, -goalDays), now.Add(-liveMinutes*time.Minute))
	out.fill(goals, r)
	return out, err
}

// siteSettings returns the fields of the list that do not depend on the selected site.
func (Deps) siteSettings(c *route.Call) (GoalList, error) {
	out := GoalList{
		Goals: []GoalRow{}, SiteKey: c.Account.SiteKey, Currency: c.Account.Currency, Products: []GoalProduct{}, Days: goalDays,
		Live: GoalsLive{WindowMinutes: liveMinutes, Latest: []LiveEvent{}}, Suggested: []GoalSuggested{},
		PlanIncludes: c.Account.Allowances().GoalTracking, TrackingDomains: []string{}, SharedDomains: []string{},
		TagNames: map[string]string{},
	}
	list, err := c.Store.Sites().List(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	out.Sites = append([]models.Site{}, list...)
	at, err := c.Store.Sites().GoalSecretAt(c.Context(), c.Account.ID)
	if err != nil {
		return out, err
	}
	out.SecretSet, out.SecretSetAt = at != nil, answer.StampOrNull(at)
	hosts, err := c.Store.Domains().Serving(c.Context(), c.Account.ID)
	for _, h := range hosts {
		if h.Shared {
			out.SharedDomains = append(out.SharedDomains, h.Host)
		} else {
			out.TrackingDomains = append(out.TrackingDomains, h.Host)
			if h.TagName != "" {
				out.TagNames[h.Host] = h.TagName
			}
		}
	}
	return out, err
}

func (l *GoalList) fill(goals []models.Goal, r report.SiteReport) {
	l.SiteTotals = GoalTotals{Events: r.Totals.Events, Views: r.Totals.Views, Clicks: r.Totals.Clicks, Orders: r.Totals.Orders}
	for _, e := range r.Earned {
		l.SiteTotals.Conversions += e.Approved + e.Pending
		l.SiteTotals.Revenue = models.NewMoney(l.SiteTotals.Revenue.Add(e.Revenue))
	}
	l.Goals = answer.Each(goals, func(g models.Goal) GoalRow {
		reached, earned := r.Reached[g.Key], r.Earned[g.Key]
		row := GoalRow{
			Goal: g, Events: reached.Events, Clicks: reached.Clicks, Approved: earned.Approved, Pending: earned.Pending,
			Conversions: earned.Approved + earned.Pending, Revenue: models.NewMoney(earned.Revenue),
			PendingRevenue: models.NewMoney(earned.PendingRevenue),
		}
		if !reached.Last.IsZero() {
			row.LastAt = answer.StampOrNull(&reached.Last)
		}
		return row
	})
	l.Products = answer.Each(r.Products, func(p report.SiteProduct) GoalProduct {
		return GoalProduct{p.SKU, p.Name, p.Currency, p.Orders, p.Quantity, models.NewMoney(p.Revenue)}
	})
	l.Live = GoalsLive{
		WindowMinutes: liveMinutes, Clicks: r.Present.Clicks, Views: r.Present.Views, Events: r.Present.Events,
		Latest: answer.Each(r.Live, liveEvent),
	}
	l.Suggested = suggestedGoals(*l.Site, goals, r.Unused)
}

func liveEvent(e report.SiteLive) LiveEvent {
	return LiveEvent{
		At: answer.Stamp(e.At), Name: e.Name, Host: e.Host, Path: e.Path, ClickID: answer.ClickID(e.ClickID), Source: e.Source,
		Value: models.NewMoney(e.Value), Currency: e.Currency, Goals: append([]string{}, e.Goals...),
	}
}

const mostSuggested = 20

// thanksPage matches paths of pages after a wanted action, such as an order or a sign-up.
var thanksPage = regexp.MustCompile(`(?i)(thank|danke|merci|gracias|grazie|obrigad|success|confirm|complete|receipt|welcome|submitted|` +
	`order[-_/]?(received|placed)|bestaetig)`)

// suggestedGoals returns goals for the site's events without a goal, the most frequent first, then goals that most sites of its
// kind have.
func suggestedGoals(site models.Site, goals []models.Goal, unused []report.SiteName) []GoalSuggested {
	out := []GoalSuggested{}
	add := func(g models.Goal, n report.SiteName) {
		isGoal := func(o models.Goal) bool { return o.Key == g.Key }
		isSuggested := func(o GoalSuggested) bool { return o.Key == g.Key }
		if len(out) >= mostSuggested || slices.ContainsFunc(goals, isGoal) || slices.ContainsFunc(out, isSuggested) {
			return
		}
		s := GoalSuggested{
			Key: g.Key, Name: g.Name, Kind: g.Kind, MatchPath: g.MatchPath, Dedupe: g.Dedupe, ValueMode: g.ValueMode, Events: n.Events,
		}
		if !n.Last.IsZero() {
			s.LastAt = answer.StampOrNull(&n.Last)
		}
		out = append(out, s)
	}
	for _, n := range unused {
		switch g := models.NewGoal(site, n.Name); {
		case n.Name == models.EventView && thanksPage.MatchString(n.Path):
			g.Key = pathKey(n.Path)
			g.Kind, g.MatchPath, g.Name = models.GoalPage, n.Path, n.Path
			add(g, n)
		case n.Name != models.EventView && models.ValidGoalKey(n.Name):
			if n.Orders > 0 {
				g.Dedupe = models.PerOrder
			}
			if n.Valued > 0 {
				g.ValueMode = models.ValueFromEvent
			}
			add(g, n)
		}
	}
	for _, g := range models.SuggestedGoals(site) {
		add(g, report.SiteName{})
	}
	return out
}

var notOfKey = regexp.MustCompile(`[^a-z0-9]+`)

// pathKey returns the key of a page goal for its path.
func pathKey(path string) string {
	words := strings.Trim(notOfKey.ReplaceAllString(strings.ToLower(path), "_"), "_")
	const prefix = "page_"
	return prefix + strings.TrimRight(words[:min(len(words), models.MaxGoalKey-len(prefix))], "_")
}
