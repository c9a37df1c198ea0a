package measure

// All lists all measures in the order of answers and report files.
var All = []Measure{
	{Name: "clicks", Field: "Clicks", Kind: Count, Change: 1, Good: 1, SQL: clicks("NOT f.is_bot"), Doc: "without bots"},
	{Name: "unique_clicks", Field: "UniqueClicks", Kind: Count, Change: 2, Good: 1, SQL: clicks("f.is_unique AND NOT f.is_bot")},
	{Name: "bot_clicks", Field: "BotClicks", Kind: Count, Change: 4, Good: -1, SQL: clicks("f.is_bot")},
	{Name: "lp_views", Field: "LPViews", Kind: Count, Good: 1, SQL: onlyHumans("lp_views")},
	{Name: "lp_clicks", Field: "LPClicks", Kind: Count, Change: 3, Good: 1, SQL: onlyHumans("lp_clicks")},
	{Name: "lp_ctr", Field: "LPCTR", Kind: Percent, Change: 13, Digits: 1, Good: 1, Formula: "lp_clicks / lp_views"},
	{Name: "conversions", Field: "Conversions", Kind: Count, Change: 5, Good: 1, Formula: "approved + pending", Doc: "approved and pending"},
	{Name: "approved", Field: "Approved", Kind: Count, Good: 1, SQL: conversions("approved", "approved")},
	{Name: "pending", Field: "Pending", Kind: Count, Change: 6, SQL: conversions("pending", "pending")},
	{Name: "rejected", Field: "Rejected", Kind: Count, Change: 7, Good: -1, SQL: conversions("rejected", "rejected")},
	{Name: "chargebacks", Field: "Chargebacks", Kind: Count, Good: -1, SQL: conversions("chargeback", "chargebacks")},
	{Name: "cr", Field: "CR", Kind: Percent, Change: 12, Good: 1, Formula: "conversions / clicks"},
	{Name: "cost", Field: "Cost", Kind: Money, Change: 8, SQL: costs},
	{Name: "revenue", Field: "Revenue", Kind: Money, Change: 9, Good: 1, BySales: true, SQL: payouts("approved", "revenue"), Doc: "approved payouts"},
	{Name: "pending_revenue", Field: "PendingRevenue", Kind: Money, SQL: payouts("pending", "pending_revenue")},
	{Name: "profit", Field: "Profit", Kind: Money, Change: 10, Good: 1, BySales: true, Formula: "revenue - cost"},
	{Name: "roi", Field: "ROI", Kind: Percent, Change: 11, Digits: 1, Good: 1, BySales: true, Formula: "profit / cost"},
	{Name: "epc", Field: "EPC", Kind: Price, Change: 14, Good: 1, BySales: true, Formula: "revenue / clicks"},
	{Name: "cpc", Field: "CPC", Kind: Price, Formula: "cost / clicks"},
	{Name: "cpa", Field: "CPA", Kind: Money, Change: 15, BySales: true, Formula: "cost / conversions"},
	{Name: "approve_rate", Field: "ApproveRate", Kind: Percent, Digits: 1, Good: 1, Formula: "approved / (conversions + rejected)"},
}
