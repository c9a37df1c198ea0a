package measure

// All lists all measures in the order of answers and report files.
var All = []Measure{
	{Name: "clicks", Field: "Clicks", Kind: Count, Good: 1, SQL: clicks("NOT f.is_bot"), Doc: "without bots"},
	{Name: "unique_clicks", Field: "UniqueClicks", Kind: Count, Good: 1, SQL: clicks("f.is_unique AND NOT f.is_bot")},
	{Name: "bot_clicks", Field: "BotClicks", Kind: Count, Good: -1, SQL: clicks("f.is_bot")},
	{Name: "lp_views", Field: "LPViews", Kind: Count, Good: 1, SQL: onlyHumans("lp_views"), NoChange: true},
	{Name: "lp_clicks", Field: "LPClicks", Kind: Count, Good: 1, SQL: onlyHumans("lp_clicks")},
	{Name: "lp_ctr", Field: "LPCTR", Kind: Percent, Digits: 1, Good: 1, Formula: "lp_clicks / lp_views"},
	{Name: "conversions", Field: "Conversions", Kind: Count, Good: 1, Formula: "approved + pending", Doc: "approved and pending"},
	{Name: "approved", Field: "Approved", Kind: Count, Good: 1, SQL: conversions("approved", "approved"), NoChange: true},
	{Name: "pending", Field: "Pending", Kind: Count, SQL: conversions("pending", "pending")},
	{Name: "rejected", Field: "Rejected", Kind: Count, Good: -1, SQL: conversions("rejected", "rejected")},
	{Name: "chargebacks", Field: "Chargebacks", Kind: Count, Good: -1, SQL: conversions("chargeback", "chargebacks"), NoChange: true},
	{Name: "cr", Field: "CR", Kind: Percent, Good: 1, Formula: "conversions / clicks"},
	{Name: "cost", Field: "Cost", Kind: Money, SQL: costs},
	{Name: "revenue", Field: "Revenue", Kind: Money, Good: 1, BySales: true, SQL: payouts("approved", "revenue"), Doc: "approved payouts"},
	{Name: "pending_revenue", Field: "PendingRevenue", Kind: Money, SQL: payouts("pending", "pending_revenue"), NoChange: true},
	{Name: "profit", Field: "Profit", Kind: Money, Good: 1, BySales: true, Formula: "revenue - cost"},
	{Name: "roi", Field: "ROI", Kind: Percent, Digits: 1, Good: 1, BySales: true, Formula: "profit / cost"},
	{Name: "epc", Field: "EPC", Kind: Price, Good: 1, BySales: true, Formula: "revenue / clicks"},
	{Name: "cpc", Field: "CPC", Kind: Price, Formula: "cost / clicks", NoChange: true},
	{Name: "cpa", Field: "CPA", Kind: Money, BySales: true, Formula: "cost / conversions"},
	{Name: "approve_rate", Field: "ApproveRate", Kind: Percent, Digits: 1, Good: 1, Formula: "approved / (conversions + rejected)", NoChange: true},
}
