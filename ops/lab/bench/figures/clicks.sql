-- Clicks of one day of a busy account: $1 account, $2 the day's midnight, $3 number of clicks. Values depend on each other as
-- in real traffic. A click's campaign determines which paths, pages, offers and sources can occur, and mostly the country. The
-- device determines the systems, and the system determines the browsers.
INSERT INTO clicks (id, at, account_id, campaign_id, parent_campaign_id, stream_id, lander_id, offer_id, network_id,
	source_id, visitor_id, domain, destination, arrival, external_id, subs, params, ip, user_agent, referrer,
	referrer_domain, keyword, search_engine, language, country, region, city, isp, asn, mobile_operator, connection_type,
	proxy_kind, device_type, device_brand, device_model, os, os_version, browser, browser_version, is_bot, bot_score,
	bot_signals, bot_reason, cost, unique_cost, currency, conversion_cost, revenue_share, unique_key, unique_hours,
	is_unique, lp_views, lp_clicks, lp_slot, last_hop_id)
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || left(r, 3) || '8' || substr(r, 4, 15))::uuid,
	at, $1, pg_temp.ident('ca', c), zero, pg_temp.ident('st', c * 3 + s),
	CASE WHEN landed THEN pg_temp.ident('la', c % 20 * 2 + l) ELSE zero END,
	CASE WHEN NOT landed OR led THEN pg_temp.ident('of', c * 2 + o) ELSE zero END,
	CASE WHEN NOT landed OR led THEN pg_temp.ident('ne', c % 5) ELSE zero END,
	pg_temp.ident('so', z), md5(substr(r, 1, 5) || c)::uuid, 'go.example.com',
	'https://offer.example/landing?cid=' || r || '&c=' || country, 'url', substr(r, 8, 20),
	ARRAY['zone-' || z || '-' || (pow(u1, 3) * 500)::int, 'creative-' || c || '-' || (u2 * 12)::int,
		CASE WHEN u3 < 0.3 THEN substr(r, 10, 8) ELSE '' END],
	'zone=' || z || '&bid=' || u1, ('10.' || (u2 * 255)::int || '.' || (u4 * 255)::int || '.' || (u1 * 9)::int)::inet,
	'Mozilla/5.0 (' || os || ' ' || (u3 * 9)::int || ') AppleWebKit/537.36 (KHTML, like Gecko) ' || browser || '/' ||
		(100 + u2 * 12)::int || '.0.0.0 Safari/537.36',
	'https://site' || (pow(u3, 2) * 150)::int || '.example/', 'site' || (pow(u3, 2) * 150)::int || '.example', '', '',
	CASE WHEN u1 < 0.9 THEN lower(country) ELSE 'en' END, country, country || '-' || (pow(u2, 2) * 12)::int,
	country || ' city ' || (pow(u4, 2) * 60)::int, country || ' telecom ' || (pow(u1, 2) * 12)::int,
	ascii(country) * 100 + (pow(u1, 2) * 12)::int, CASE WHEN u1 < 0.4 THEN 'operator ' || (u1 * 12)::int ELSE '' END,
	CASE WHEN u1 < 0.4 THEN 'cellular' WHEN u1 < 0.9 THEN 'wifi' ELSE 'corporate' END,
	CASE WHEN u3 > 0.97 THEN 'vpn' ELSE '' END, device,
	CASE os WHEN 'Android' THEN (ARRAY['Samsung', 'Xiaomi', 'Oppo', 'Huawei', 'Motorola'])[1 + (u4 * 4)::int]
		WHEN 'iOS' THEN 'Apple' WHEN 'macOS' THEN 'Apple' ELSE '' END,
	'', os, ((pow(u3, 2) * 8)::int + 9)::text, browser, (100 + u2 * 12)::int::text, bot,
	CASE WHEN bot THEN 80 ELSE 5 END, CASE WHEN bot THEN 4 ELSE 0 END,
	CASE WHEN bot THEN (ARRAY['datacenter', 'headless', 'declared_bot', 'rate', 'deny_list'])[1 + (u2 * 4)::int] ELSE '' END,
	round((0.01 + u2 * 0.09)::numeric, 4), 0, 'USD', 0, 0, md5(substr(r, 1, 5))::uuid, 24, NOT bot AND u4 < 0.7,
	landed::int, (landed AND led)::int, CASE WHEN landed AND led THEN 1 + o ELSE 0 END, zero
FROM (
	SELECT *, '00000000-0000-0000-0000-000000000000'::uuid AS zero,
		(ARRAY['Chrome', 'Chrome', 'Chrome', 'Chrome', 'Samsung Internet', 'Facebook', 'Safari', 'Safari', 'Safari', 'Safari',
			'Chrome', 'Facebook', 'Chrome', 'Chrome', 'Chrome', 'Edge', 'Firefox', 'Opera'])[
			CASE os WHEN 'Android' THEN 1 WHEN 'iOS' THEN 7 WHEN 'macOS' THEN 10 ELSE 13 END + (u3 * 5)::int] AS browser
	FROM (
		SELECT *, (ARRAY['Android', 'Android', 'iOS', 'Windows', 'Windows', 'Windows', 'macOS', 'Linux'])[
				CASE WHEN device = 'desktop' THEN 4 + (u1 * 4)::int ELSE 1 + (u1 * 2)::int END] AS os,
			(ARRAY['US', 'DE', 'FR', 'BR', 'IN', 'JP', 'GB', 'CA', 'AU', 'IT', 'ES', 'PL', 'MX', 'ID', 'TH', 'ZA'])[
				CASE WHEN u4 < 0.75 THEN 1 + c % 16 WHEN u4 < 0.97 THEN 1 + (c + 3) % 16 ELSE 1 + (u2 * 15)::int END] AS country
		FROM (
			SELECT date_trunc('milliseconds', $2::timestamptz + n * interval '1 day' / $3::int) AS at, md5(random()::text) AS r,
				(pow(random(), 1.7) * 39)::int AS c, (pow(random(), 4) * 2)::int AS s, (random() * 1)::int AS l,
				(random() * 0.8)::int AS o, random() < 0.65 AS landed, random() < 0.25 AS led,
				random() < 0.08 AS bot, random() AS u1, random() AS u2, random() AS u3, random() AS u4,
				CASE WHEN random() < 0.72 THEN 'mobile' WHEN random() < 0.86 THEN 'desktop' ELSE 'tablet' END AS device
			FROM generate_series(0, $3::int - 1) n
		) a CROSS JOIN LATERAL (SELECT CASE WHEN u3 < 0.8 THEN c % 12 ELSE (c + 5) % 12 END AS z) b
	) c
) d
