-- Stores $3 clicks for the account $1, all on the day $2. Most of their columns are empty. $3 is the maximum number of rows of an
-- export.
INSERT INTO clicks (id, at, account_id, campaign_id, parent_campaign_id, stream_id, lander_id, offer_id, network_id,
	source_id, visitor_id, domain, destination, arrival, external_id, subs, params, ip, user_agent, referrer,
	referrer_domain, keyword, search_engine, language, country, region, city, isp, asn, mobile_operator, connection_type,
	proxy_kind, device_type, device_brand, device_model, os, os_version, browser, browser_version, is_bot, bot_score,
	bot_signals, bot_reason, cost, unique_cost, currency, conversion_cost, revenue_share, unique_key, unique_hours,
	is_unique, lp_views, lp_clicks, lp_slot, last_hop_id)
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || left(r, 3) || '8' || substr(r, 4, 15))::uuid,
	at, $1, md5('ca' || n % 40)::uuid, zero, zero, zero, zero, zero, zero, zero, 'go.example', '', 'url', '', '{}', '',
	('10.1.' || n % 250 || '.9')::inet, 'Mozilla/5.0', '', '', '', '', 'en', 'US', '', '', '', 0, '', '', '', 'mobile', '', '',
	'iOS', '17', 'Safari', '17', false, 5, 0, '', 0.05, 0, 'USD', 0, 0, md5(r)::uuid, 24, true, 0, 0, 0, zero
FROM (
	SELECT n, date_trunc('milliseconds', $2::timestamptz + n * interval '1 day' / $3::int) AS at, md5(random()::text) AS r,
		'00000000-0000-0000-0000-000000000000'::uuid AS zero
	FROM generate_series(0, $3::int - 1) n
) a
