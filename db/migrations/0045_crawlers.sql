-- Clicks whose user agent names a crawler and whose address is not verified yet, and the results of verifying addresses.
-- +goose Up
ALTER TABLE clicks ADD COLUMN crawler text NOT NULL DEFAULT '';

-- The view of spend without clicks needs a column for every dimension that reports read from rows.
CREATE OR REPLACE VIEW spend_alone AS
SELECT account_id, day::timestamp AT TIME ZONE 'UTC' AS at, amount AS cost, campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind, '{}'::text[] AS subs, '' AS crawler
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0;

CREATE TABLE crawler_claims (
    click_id   uuid PRIMARY KEY,
    account_id uuid NOT NULL,
    address    inet NOT NULL,
    crawler    text NOT NULL,
    attempts   int NOT NULL DEFAULT 0,
    attempt_at timestamptz NOT NULL,                -- when the next attempt is due
    claimed_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX crawler_claims_due ON crawler_claims (account_id, attempt_at);
CREATE INDEX crawler_claims_old ON crawler_claims (claimed_at);

CREATE TABLE crawler_answers (
    address  inet NOT NULL,
    crawler  text NOT NULL,
    verified boolean NOT NULL,
    asked_at timestamptz NOT NULL,
    PRIMARY KEY (address, crawler)
);
CREATE INDEX crawler_answers_asked ON crawler_answers (asked_at);

-- +goose Down
DROP TABLE crawler_answers, crawler_claims;
ALTER TABLE clicks DROP COLUMN crawler;
DROP VIEW spend_alone;
CREATE VIEW spend_alone AS
SELECT account_id, day::timestamp AT TIME ZONE 'UTC' AS at, amount AS cost, campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind, '{}'::text[] AS subs
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0;
