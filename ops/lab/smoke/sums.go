package smoke

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// figures are the figures that the service must show for some clicks.
type figures struct {
	clicks, unique, bots, lpViews, lpClicks, approved, pending, rejected, chargebacks int
	cost, revenue, pendingRevenue                                                     decimal.Decimal
}

// add adds one click with its conversions and cost. A bot is counted only as a bot.
func (f *figures) add(c *click) {
	if c.bot() {
		f.bots++
		return
	}
	f.clicks++
	if c.unique {
		f.unique++
	}
	if c.lander != "" {
		f.lpViews++
	}
	if len(c.outs) > 0 {
		f.lpClicks++ // several click-outs of a visitor count once
	}
	f.approved += c.count("approved")
	f.pending += c.count("pending")
	f.rejected += c.count("rejected")
	f.chargebacks += c.count("chargeback")
	f.cost = f.cost.Add(c.campaign.cost(c))
	f.revenue = f.revenue.Add(c.revenue("approved"))
	f.pendingRevenue = f.pendingRevenue.Add(c.revenue("pending"))
}

// values returns the figures by their names in reports. The value of a division by zero is nil.
func (f *figures) values() map[string]*decimal.Decimal {
	count := func(n int) *decimal.Decimal { d := decimal.NewFromInt(int64(n)); return &d }
	money := func(d decimal.Decimal) *decimal.Decimal { return &d }
	over := func(a, b *decimal.Decimal, times int64) *decimal.Decimal {
		if b.IsZero() {
			return nil
		}
		q := a.Mul(decimal.NewFromInt(times)).DivRound(*b, 12)
		return &q
	}
	clicks, conversions := count(f.clicks), count(f.approved+f.pending)
	cost, revenue := money(f.cost), money(f.revenue)
	profit := money(f.revenue.Sub(f.cost))
	return map[string]*decimal.Decimal{
		"clicks": clicks, "unique_clicks": count(f.unique), "bot_clicks": count(f.bots), "lp_views": count(f.lpViews),
		"lp_clicks": count(f.lpClicks), "conversions": conversions, "approved": count(f.approved),
		"pending": count(f.pending), "rejected": count(f.rejected), "chargebacks": count(f.chargebacks),
		"cost": cost, "revenue": revenue, "pending_revenue": money(f.pendingRevenue), "profit": profit,
		"lp_ctr": over(count(f.lpClicks), count(f.lpViews), 100), "cr": over(conversions, clicks, 100),
		"roi": over(profit, cost, 100), "epc": over(revenue, clicks, 1), "cpc": over(cost, clicks, 1),
		"cpa":          over(cost, conversions, 1),
		"approve_rate": over(count(f.approved), count(f.approved+f.rejected+f.pending), 100),
	}
}

// dimensions has, for each dimension, the function that returns the value under which a click counts.
var dimensions = map[string]func(*traffic, *click) string{
	"campaign_id": func(_ *traffic, c *click) string { return c.campaign.id },
	"stream_id":   func(_ *traffic, c *click) string { return c.campaign.paths[c.path] },
	"lander_id":   func(t *traffic, c *click) string { return t.landers[c.lander] },
	"offer_id":    func(t *traffic, c *click) string { return t.offers[c.offer] },
	"source_id":   func(t *traffic, c *click) string { return t.sources[c.source] },
	"country":     func(_ *traffic, c *click) string { return c.Country },
	"device_type": func(_ *traffic, c *click) string { return c.Device },
	"os":          func(_ *traffic, c *click) string { return c.OS },
	"browser":     func(_ *traffic, c *click) string { return c.Browser },
	"date":        func(_ *traffic, c *click) string { return c.at.Format(time.DateOnly) },
	"hour":        func(_ *traffic, c *click) string { return c.at.Format("2006-01-02 15:00:00") },
	// The service counts the following dimensions from the single clicks, because the ledger does not have them.
	"sub1":     func(_ *traffic, c *click) string { return c.subs[0] },
	"sub2":     func(_ *traffic, c *click) string { return c.subs[1] },
	"language": func(_ *traffic, c *click) string { return c.Language },
	"ip":       func(_ *traffic, c *click) string { return c.IP },
}

// sums adds up the counted clicks by the values of the dimensions. The function keep selects the clicks; if it is nil, all count.
// A key has the values, joined by separator.
func (t *traffic) sums(dims []string, keep func(*click) bool) map[string]*figures {
	all := map[string]*figures{}
	for _, c := range t.clicks {
		if c.campaign.uncounted || keep != nil && !keep(c) {
			continue
		}
		var key []string
		for _, d := range dims {
			key = append(key, dimensions[d](t, c))
		}
		k := strings.Join(key, separator)
		if all[k] == nil {
			all[k] = &figures{}
		}
		all[k].add(c)
	}
	return all
}

const separator = " | "

// number reads a JSON number. Other values give an impossible figure.
func number(n json.Number) decimal.Decimal {
	d, err := decimal.NewFromString(n.String())
	if err != nil {
		return decimal.New(-1, 30)
	}
	return d
}
