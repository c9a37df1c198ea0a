package export

import (
	"slices"
	"time"

	"switchyard/models"
)

func clickMoment(t time.Time) any { return models.FloorClickID(t) }

// visitorColumns are what the service found out about who clicked.
var visitorColumns = slices.Concat(
	[]column{{"ip", `host(f.ip)`, plain}},
	texts("country", "region", "city", "language", "isp"),
	[]column{{"asn", `nullif(f.asn, 0)::text`, plain}},
	texts("mobile_operator", "connection_type", "proxy_kind", "device_type", "device_brand", "device_model", "os",
		"os_version", "browser", "browser_version", "user_agent", "referrer", "referrer_domain", "keyword", "search_engine"),
	[]column{number("is_bot"), number("bot_score"), text("bot_reason")},
)

// Clicks are the clicks of campaigns, with what they led to.
var Clicks = Table{
	columns: slices.Concat(
		[]column{
			{"click_id", `f.id::text`, clickID},
			stamp("at", "f.at"), id("campaign_id"), id("parent_campaign_id"),
			id("stream_id"), id("lander_id"), id("offer_id"), id("network_id"), id("source_id"), id("visitor_id"),
		},
		texts("external_id", "domain", "destination", "arrival", "params"), subs(), visitorColumns,
		[]column{
			money("cost"), text("currency"), number("is_unique"), number("lp_views"), number("lp_clicks"),
			{"lp_slot", `nullif(f.lp_slot, 0)::text`, plain},
			{"conversions", `coalesce(v.conversions, 0)::text`, plain},
			{"revenue", `trim_scale(coalesce(v.revenue, 0))::text`, plain},
		},
	),
	count: `SELECT FROM clicks WHERE account_id = $1 AND id >= $2 AND id < $3`,
	from: `clicks f LEFT JOIN (
	SELECT click_id, count(*) AS conversions, sum(payout) FILTER (WHERE status = 'approved') AS revenue FROM conversions
	WHERE account_id = $1 AND click_id >= $2 AND click_id < $3 AND status IN ('approved', 'pending') GROUP BY click_id
) v ON v.click_id = f.id
WHERE f.account_id = $1 AND f.id >= $2 AND f.id < $3 ORDER BY f.id DESC`,
	moment: clickMoment,
}

// Conversions are the conversions by their own time.
var Conversions = Table{
	columns: []column{
		number("id"), stamp("recorded_at", "f.recorded_at"),
		{"click_id", `f.click_id::text`, clickID},
		text("conversion_id"), text("goal"), number("status"), text("original_status"), money("payout"), text("currency"),
		money("cost"), id("campaign_id"), id("offer_id"), id("source_id"), id("network_id"), number("source"),
		stamp("updated_at", "f.updated_at"),
	},
	count: `SELECT FROM conversions WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $3`,
	from: `conversions f WHERE f.account_id = $1 AND f.recorded_at >= $2 AND f.recorded_at < $3
ORDER BY f.recorded_at DESC, f.id DESC`,
	moment: func(t time.Time) any { return t },
}

// SmartlinkClicks are the clicks of smartlinks.
var SmartlinkClicks = Table{
	columns: slices.Concat(
		[]column{
			{"click_id", `f.id::text`, clickID},
			stamp("at", "f.at"), id("smartlink_id"),
			{"slug", `l.slug`, foreign},
			id("rule_id"), id("source_id"), id("visitor_id"),
		},
		texts("external_id", "domain", "destination_url", "destination", "params"), subs(), visitorColumns,
	),
	count: `SELECT FROM smartlink_clicks
WHERE account_id = $1 AND id >= $2 AND id < $3 AND ($4::uuid IS NULL OR smartlink_id = $4)`,
	from: `smartlink_clicks f LEFT JOIN smartlinks l ON l.account_id = $1 AND l.id = f.smartlink_id
WHERE f.account_id = $1 AND f.id >= $2 AND f.id < $3 AND ($4::uuid IS NULL OR f.smartlink_id = $4) ORDER BY f.id DESC`,
	linked: true,
	moment: clickMoment,
}
