-- The deltas that clicks and conversions of account $1 cause, as the ingester and the job conversion:record write them.
INSERT INTO ledger (account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country, device_type, os,
	browser, clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected, chargebacks, cost, revenue,
	pending_revenue)
SELECT account_id, date_trunc('hour', at), campaign_id, stream_id, lander_id, offer_id, source_id, country, device_type, os,
	browser, count(*) FILTER (WHERE NOT is_bot), count(*) FILTER (WHERE is_unique), count(*) FILTER (WHERE is_bot),
	coalesce(sum(lp_views) FILTER (WHERE NOT is_bot), 0), coalesce(sum(lp_clicks) FILTER (WHERE NOT is_bot), 0), 0, 0, 0, 0,
	coalesce(sum(cost) FILTER (WHERE NOT is_bot), 0), 0, 0
FROM clicks WHERE account_id = $1 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
UNION ALL
SELECT f.account_id, date_trunc('hour', at), f.campaign_id, stream_id, lander_id, f.offer_id, f.source_id, country,
	device_type, os, browser, 0, 0, 0, 0, 0, count(*) FILTER (WHERE status = 'approved'),
	count(*) FILTER (WHERE status = 'pending'), count(*) FILTER (WHERE status = 'rejected'),
	count(*) FILTER (WHERE status = 'chargeback'), sum(v.cost),
	coalesce(sum(v.payout) FILTER (WHERE status = 'approved'), 0),
	coalesce(sum(v.payout) FILTER (WHERE status = 'pending'), 0)
FROM conversions v JOIN clicks f ON f.id = v.click_id WHERE f.account_id = $1 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
