-- Changes of an account's currency. While a job converts the stored amounts, reports already answer in the new currency.
-- +goose Up

-- A change that is in progress. Its row is deleted when all amounts are converted.
CREATE TABLE currency_changes (
    account_id    uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    job_id        uuid NOT NULL,
    from_currency text NOT NULL,
    to_currency   text NOT NULL,
    kept_from     timestamptz NOT NULL,           -- figures before this time are only in the ledger
    archived      boolean NOT NULL DEFAULT false, -- the ledger before kept_from has been converted
    since         timestamptz NOT NULL DEFAULT now()
);

-- The new currency of a change that was refused because rates were missing. The rates of this currency are fetched until the
-- account's currency is changed.
ALTER TABLE accounts ADD COLUMN wants_currency text NOT NULL DEFAULT '';

CREATE OR REPLACE VIEW spend_alone AS
SELECT account_id, day::timestamp AT TIME ZONE 'UTC' AS at, amount * rate AS cost, campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind, '{}'::text[] AS subs, '' AS crawler,
    amount, currency, rate
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0 AND rate IS NOT NULL;

-- +goose Down
DROP VIEW spend_alone;
CREATE VIEW spend_alone AS
SELECT account_id, day::timestamp AT TIME ZONE 'UTC' AS at, amount * rate AS cost, campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind, '{}'::text[] AS subs, '' AS crawler
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0 AND rate IS NOT NULL;
ALTER TABLE accounts DROP COLUMN wants_currency;
DROP TABLE currency_changes;
