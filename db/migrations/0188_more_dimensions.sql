-- Spend without clicks has no value in the dimensions domain, referrer_domain, keyword, search_engine and device_model.
-- +goose Up
CREATE OR REPLACE VIEW spend_alone AS
SELECT account_id, (day::timestamp + least((starts + 3599) / 3600, 23) * interval '1 hour') AT TIME ZONE 'UTC' AS at, amount * rate AS cost,
    campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind,
    CASE WHEN sub = 0 THEN '{}'::text[] ELSE array_fill(''::text, ARRAY[sub - 1]) || sub_value END AS subs, '' AS crawler,
    amount, currency, rate, '' AS passed_reason, '' AS domain, '' AS referrer_domain, '' AS keyword, '' AS search_engine,
    '' AS device_model
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0 AND rate IS NOT NULL;

-- +goose Down
DROP VIEW spend_alone;
CREATE VIEW spend_alone AS
SELECT account_id, (day::timestamp + least((starts + 3599) / 3600, 23) * interval '1 hour') AT TIME ZONE 'UTC' AS at, amount * rate AS cost,
    campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind,
    CASE WHEN sub = 0 THEN '{}'::text[] ELSE array_fill(''::text, ARRAY[sub - 1]) || sub_value END AS subs, '' AS crawler,
    amount, currency, rate, '' AS passed_reason
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0 AND rate IS NOT NULL;
