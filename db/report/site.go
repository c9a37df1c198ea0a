package report

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/db"
)

// SiteReport sums up the events of a site's visitors since a moment.
type SiteReport struct {
	Totals   SiteTotals
	Reached  map[string]GoalReached   // by the key of the goal
	Earned   map[string]GoalConverted // by the key of the goal
	Products []SiteProduct
	Unused   []SiteName // events that reached no goal, the most frequent first
	Live     []SiteLive // the newest events, newest first
	Present  SitePresence
}

// SiteTotals counts the events of a site.
type SiteTotals struct {
	Events int64 `db:"events"`
	Views  int64 `db:"views"`
	Clicks int64 `db:"clicks"` // clicks whose visitors were on the site
	Orders int64 `db:"orders"`
}

// GoalReached is the number of times that a goal was reached.
type GoalReached struct {
	Key    string    `db:"key"`
	Events int64     `db:"events"`
	Clicks int64     `db:"clicks"`
	Last   time.Time `db:"last"`
}

// GoalConverted sums up the conversions of a goal, for the clicks whose visitors reached the goal on the site.
type GoalConverted struct {
	Key            string          `db:"key"`
	Approved       int64           `db:"approved"`
	Pending        int64           `db:"pending"`
	Revenue        decimal.Decimal `db:"revenue"`
	PendingRevenue decimal.Decimal `db:"pending_revenue"`
}

// SiteProduct is a product in the orders of a site.
type SiteProduct struct {
	SKU      string          `db:"sku"`
	Name     string          `db:"name"`
	Currency string          `db:"currency"`
	Orders   int64           `db:"orders"`
	Quantity int64           `db:"quantity"`
	Revenue  decimal.Decimal `db:"revenue"`
}

// SiteName is a kind of event that reached no goal. Path is set for views.
type SiteName struct {
	Name   string    `db:"name"`
	Path   string    `db:"path"`
	Events int64     `db:"events"`
	Orders int64     `db:"orders"` // events with an order id
	Valued int64     `db:"valued"` // events with a value
	Last   time.Time `db:"last"`
}

// SiteLive is one of the newest events.
type SiteLive struct {
	At       time.Time       `db:"received_at"`
	Name     string          `db:"name"`
	Host     string          `db:"host"`
	Path     string          `db:"path"`
	ClickID  uuid.UUID       `db:"click_id"`
	Source   string          `db:"source"`
	Value    decimal.Decimal `db:"value"`
	Currency string          `db:"currency"`
	Goals    []string        `db:"goals"`
}

// SitePresence counts the current visitors of a site and their events.
type SitePresence struct {
	Clicks int64 `db:"clicks"`
	Events int64 `db:"events"`
	Views  int64 `db:"views"`
}

const (
	listedProducts = 50
	listedNames    = 200
	listedLive     = 20
)

const ofSite = ` FROM site_events e WHERE e.account_id = $1 AND e.site_id = $2 AND e.received_at >= $3 `

// Events with these names are not orders.
const isOrder = `e.order_id <> '' AND e.name NOT IN ('view', 'click', 'identify')`

// An amount without a currency is in the currency of its goal or else of the site.
const currencyOf = `coalesce(nullif(e.currency, ''), (SELECT nullif(g.currency, '') FROM goals g
	WHERE g.account_id = $1 AND g.site_id = $2 AND g.key = e.name), (SELECT t.currency FROM sites t WHERE t.account_id = $1 AND t.id = $2), '')`

const clicksOf = `count(DISTINCT e.click_id) FILTER (WHERE e.click_id <> '00000000-0000-0000-0000-000000000000') AS clicks`

const (
	siteTotals = `SELECT count(*) AS events, count(*) FILTER (WHERE e.name = 'view') AS views, ` + clicksOf + `,
	count(DISTINCT e.order_id) FILTER (WHERE ` + isOrder + `) AS orders` + ofSite

	siteGoals = `SELECT g.key, count(*) AS events, ` + clicksOf + `, max(e.received_at) AS last
FROM site_events e CROSS JOIN LATERAL unnest(e.goals) AS g (key)
WHERE e.account_id = $1 AND e.site_id = $2 AND e.received_at >= $3 GROUP BY g.key`

	siteProducts = `
SELECT i.sku, max(i.name) AS name, o.currency, count(DISTINCT o.order_id) AS orders, sum(i.quantity)::bigint AS quantity,
	sum(i.price * i.quantity) AS revenue
FROM (SELECT DISTINCT ON (e.order_id) e.order_id, e.items, ` + currencyOf + ` AS currency` + ofSite + ` AND e.items <> '[]' AND ` + isOrder + `
	ORDER BY e.order_id, e.received_at) o
CROSS JOIN LATERAL (SELECT coalesce(nullif(sku, ''), name, '') AS sku, coalesce(name, '') AS name, price, quantity
	FROM jsonb_to_recordset(o.items) AS r (sku text, name text, price numeric, quantity bigint)) i
GROUP BY i.sku, o.currency ORDER BY revenue DESC, quantity DESC, sku LIMIT $4`

	// Views of pages on which another event reached a goal are left out, because such a page already has a goal.
	siteNames = `
WITH reached AS (SELECT DISTINCT e.path` + ofSite + ` AND e.goals <> '{}')
SELECT e.name, CASE WHEN e.name = 'view' THEN e.path ELSE '' END AS path, count(*) AS events,
	count(*) FILTER (WHERE e.order_id <> '') AS orders, count(*) FILTER (WHERE e.value > 0) AS valued, max(e.received_at) AS last` +
		ofSite + ` AND e.goals = '{}' AND e.name NOT IN ('click', 'identify')
	AND (e.name <> 'view' OR e.path NOT IN (SELECT path FROM reached)) GROUP BY 1, 2 ORDER BY events DESC, name, path LIMIT $4`

	siteLive = `SELECT e.received_at, e.name, e.host, e.path, e.click_id, e.source, e.value,
	CASE WHEN e.value > 0 THEN ` + currencyOf + ` ELSE e.currency END AS currency, e.goals` + ofSite +
		` ORDER BY e.received_at DESC, e.id LIMIT $4`

	sitePresence = `SELECT ` + clicksOf + `, count(*) AS events, count(*) FILTER (WHERE e.name = 'view') AS views` + ofSite
)

var siteConversions = `
SELECT v.goal AS key, count(*) FILTER (WHERE v.status = 'approved') AS approved, count(*) FILTER (WHERE v.status = 'pending') AS pending,
	coalesce(sum(v.payout * ` + counting + `) FILTER (WHERE v.status = 'approved'), 0) AS revenue,
	coalesce(sum(v.payout * ` + counting + `) FILTER (WHERE v.status = 'pending'), 0) AS pending_revenue
FROM conversions v WHERE v.account_id = $1 AND v.recorded_at >= $3 AND v.goal = ANY ($4)
	AND EXISTS (SELECT FROM site_events e WHERE e.click_id = v.click_id AND e.account_id = $1 AND e.site_id = $2
		AND v.goal = ANY (e.goals))
GROUP BY v.goal`

// Site reports the events of a site's visitors from the time `since`. The list Live and the presence contain only the events from
// the later time `live`.
func (r Reader) Site(ctx context.Context, account, site uuid.UUID, since, live time.Time) (out SiteReport, err error) {
	if out.Totals, err = db.Get[SiteTotals](ctx, r.Conn, "site", siteTotals, account, site, since); err != nil {
		return out, err
	}
	reached, err := db.Select[GoalReached](ctx, r.Conn, "goals of site", siteGoals, account, site, since)
	if err != nil {
		return out, err
	}
	out.Reached = db.ByKey(reached, func(g GoalReached) string { return g.Key })
	keys := db.Map(reached, func(g GoalReached) string { return g.Key })
	earned, err := db.Select[GoalConverted](ctx, r.Conn, "conversions of site", siteConversions, account, site, since, keys)
	if err != nil {
		return out, err
	}
	out.Earned = db.ByKey(earned, func(g GoalConverted) string { return g.Key })
	out.Products, err = db.Select[SiteProduct](ctx, r.Conn, "products of site", siteProducts, account, site, since, listedProducts)
	if err != nil {
		return out, err
	}
	if out.Unused, err = db.Select[SiteName](ctx, r.Conn, "events of site", siteNames, account, site, since, listedNames); err != nil {
		return out, err
	}
	if out.Live, err = db.Select[SiteLive](ctx, r.Conn, "live events", siteLive, account, site, live, listedLive); err != nil {
		return out, err
	}
	out.Present, err = db.Get[SitePresence](ctx, r.Conn, "live visitors", sitePresence, account, site, live)
	return out, err
}
