package export

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db/clickhouse/schema"
	"switchyard/db/exchangerate"
	"switchyard/models"
	"switchyard/models/clickattr"
)

func clickMoment(t time.Time) any { return models.FloorClickID(t) }

// exported returns the columns of the exported attributes that `home` uses. The columns of the sub-parameters after
// models.EarlySubs are in `last`. They come at the end of a file, because some programs read columns by their position.
func exported(home clickattr.Home) (list, last []column) {
	for i := range clickattr.All {
		switch a := &clickattr.All[i]; {
		case a.In&clickattr.Exports == 0 || a.In&home != home:
		case a.Sub > models.EarlySubs:
			last = append(last, ofClick(a))
		default:
			list = append(list, ofClick(a))
		}
	}
	return list, last
}

var (
	ofClicks, lastOfClicks         = exported(clickattr.Exports)
	ofSmartlinks, lastOfSmartlinks = exported(clickattr.Smartlinks)
)

// ofClick returns the column of an attribute. Every text is marked as foreign, because visitors and traffic sources choose it.
func ofClick(a *clickattr.Attr) column {
	switch {
	case a.Text != nil:
		c := text(a.Column())
		c.name = a.Name
		return c
	case a.ID != nil:
		return id(a.Name)
	case a.Addr != nil:
		return column{name: a.Name, expr: `host(f.` + a.Name + `)`, copyExpr: schema.Host("f." + a.Name)}
	case a.ASN != nil:
		return numberOrNone(a.Name)
	case a.Money != nil:
		return money(a.Name)
	}
	return number(a.Name)
}

func insertBefore(name string, c column, list []column) []column {
	return slices.Insert(list, slices.IndexFunc(list, func(c column) bool { return c.name == name }), c)
}

// rate returns the column with the value of one unit of the row's currency in the account's currency. The column has an empty text
// if the rate is unknown.
func rate(at string) column {
	return column{
		name: "rate", expr: `coalesce(trim_scale(` + exchangerate.Counting("f", at) + `)::text, '')`, copyExpr: "ifNull(toString(f.rate), '')",
	}
}

// Clicks is the table of the clicks of campaigns, with their conversions and revenue.
var Clicks = Table{
	columns: slices.Concat(
		[]column{clickID(`f.id::text`), stamp("at", "f.at")},
		ofClicks,
		[]column{
			number("is_unique"), number("lp_views"), number("lp_clicks"), numberOrNone("lp_slot"),
			{name: "conversions", expr: `coalesce(v.conversions, 0)::text`, copyExpr: "toString(f.approved + f.pending)"},
			{name: "revenue", expr: `trim_scale(coalesce(v.revenue, 0))::text`, copyExpr: "toString(f.revenue)"},
			rate("f.at"),
		},
		lastOfClicks,
	),
	count: `SELECT FROM clicks WHERE account_id = $1 AND id >= $2 AND id < $3`,
	from: `clicks f LEFT JOIN (
	SELECT click_id, count(*) AS conversions, sum(payout * ` + exchangerate.Counting("v", "v.recorded_at") + `) FILTER (WHERE status = 'approved') AS revenue
	FROM conversions v
	WHERE account_id = $1 AND click_id >= $2 AND click_id < $3 AND status IN ('approved', 'pending') GROUP BY click_id
) v ON v.click_id = f.id
WHERE f.account_id = $1 AND f.id >= $2 AND f.id < $3 ORDER BY f.id DESC`,
	copied: true,
	moment: clickMoment,
}

// Conversions is the table of the conversions, by the time of the conversion.
var Conversions = Table{
	columns: []column{
		number("id"), stamp("recorded_at", "f.recorded_at"), clickID(`f.click_id::text`),
		text("conversion_id"), text("goal"), number("status"), text("original_status"), money("payout"), text("currency"), text("amount_reason"),
		money("cost"), id("campaign_id"), id("offer_id"), id("source_id"), id("network_id"), number("source"),
		stamp("updated_at", "f.updated_at"), rate("f.recorded_at"), money("sale_amount"), text("sale_currency"),
	},
	count: `SELECT FROM conversions WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3`,
	from: `conversions f WHERE f.account_id = $1 AND f.recorded_at >= $2 AND f.recorded_at < $3
ORDER BY f.recorded_at DESC, f.id DESC`,
	moment: func(t time.Time) any { return t },
}

// SmartlinkClicks returns the table of the clicks of smartlinks. slug returns the slug of a smartlink, or an empty text for an
// unknown one.
func SmartlinkClicks(slug func(smartlink uuid.UUID) string) Table {
	return Table{
		columns: slices.Concat(
			[]column{
				clickID(`f.id::text`),
				stamp("at", "f.at"),
				id("smartlink_id"),
				{name: "slug", expr: `f.smartlink_id::text`, foreign: true, format: slug},
				id("rule_id"),
			},
			insertBefore("destination", text("destination_url"), slices.Clone(ofSmartlinks)),
			lastOfSmartlinks,
		),
		count: `SELECT FROM smartlink_clicks
WHERE account_id = $1 AND id >= $2 AND id < $3 AND ($4::uuid IS NULL OR smartlink_id = $4)`,
		from: `smartlink_clicks f
WHERE f.account_id = $1 AND f.id >= $2 AND f.id < $3 AND ($4::uuid IS NULL OR f.smartlink_id = $4) ORDER BY f.id DESC`,
		linked: true,
		moment: clickMoment,
	}
}
