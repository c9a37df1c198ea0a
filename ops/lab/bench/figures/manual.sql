-- The report by country and four dimensions that are not in the ledger, as a person would write the query: $1 account; click ids from $2 to
-- below $3.
SELECT f.country, f.region, f.city, f.os_version, f.browser_version,
	count(*) FILTER (WHERE NOT f.is_bot) AS clicks,
	count(*) FILTER (WHERE f.is_unique AND NOT f.is_bot) AS unique_clicks,
	count(*) FILTER (WHERE f.is_bot) AS bot_clicks,
	coalesce(sum(f.lp_views) FILTER (WHERE NOT f.is_bot), 0) AS lp_views,
	coalesce(sum(f.lp_clicks) FILTER (WHERE NOT f.is_bot), 0) AS lp_clicks,
	coalesce(sum(v.approved), 0) AS approved, coalesce(sum(v.pending), 0) AS pending,
	coalesce(sum(v.rejected), 0) AS rejected, coalesce(sum(v.chargebacks), 0) AS chargebacks,
	coalesce(sum(f.cost) FILTER (WHERE NOT f.is_bot), 0) + coalesce(sum(v.cost), 0) AS cost,
	coalesce(sum(v.revenue), 0) AS revenue, coalesce(sum(v.pending_revenue), 0) AS pending_revenue
FROM clicks f LEFT JOIN (
	SELECT click_id, count(*) FILTER (WHERE status = 'approved') AS approved,
		count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'rejected') AS rejected,
		count(*) FILTER (WHERE status = 'chargeback') AS chargebacks, sum(cost) AS cost,
		sum(payout) FILTER (WHERE status = 'approved') AS revenue,
		sum(payout) FILTER (WHERE status = 'pending') AS pending_revenue
	FROM conversions WHERE account_id = $1 AND click_id >= $2 AND click_id < $3 GROUP BY click_id
) v ON v.click_id = f.id
WHERE f.account_id = $1 AND f.id >= $2 AND f.id < $3
GROUP BY 1, 2, 3, 4, 5 ORDER BY clicks DESC, 1, 2, 3, 4, 5 LIMIT 10000
