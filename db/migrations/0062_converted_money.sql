-- Amounts in other currencies than the account's. Each fact (click, conversion, spend or postback to a traffic source) has the
-- rate by which its amounts are multiplied. Facts that were stored before this migration have the rate 1, because their amounts were
-- counted unchanged.
-- +goose Up

-- NULL: there was no rate for the fact. Its amounts count as 0 until there is a rate.
ALTER TABLE clicks ADD COLUMN rate numeric DEFAULT 1;
ALTER TABLE conversions ADD COLUMN rate numeric DEFAULT 1;
ALTER TABLE spend ADD COLUMN rate numeric DEFAULT 1;
ALTER TABLE source_postbacks ADD COLUMN rate numeric DEFAULT 1;

-- The rate by which an account counts facts of one day and currency. The first of these facts fixes it. Amounts in the account's
-- own currency need no rate.
CREATE TABLE account_rates (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    day        date NOT NULL,               -- UTC
    currency   text NOT NULL,
    rate       numeric CHECK (rate > 0),    -- value of one unit of currency in the account's currency; NULL: there is no rate yet
    restating  boolean NOT NULL DEFAULT false, -- some facts still have another rate
    since      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, day, currency)
);
CREATE INDEX account_rates_open ON account_rates (account_id, day, currency) WHERE rate IS NULL OR restating;
CREATE INDEX account_rates_day ON account_rates (day);

-- Rates that the operator has replaced or added. A row stays until the rows of account_rates that depend on the rate are updated.
CREATE TABLE rate_changes (
    day      date NOT NULL,
    currency text NOT NULL,
    PRIMARY KEY (day, currency)
);

CREATE OR REPLACE VIEW spend_alone AS
SELECT account_id, day::timestamp AT TIME ZONE 'UTC' AS at, amount * rate AS cost, campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind, '{}'::text[] AS subs, '' AS crawler
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0 AND rate IS NOT NULL;

-- +goose Down
CREATE OR REPLACE VIEW spend_alone AS
SELECT account_id, day::timestamp AT TIME ZONE 'UTC' AS at, amount AS cost, campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind, '{}'::text[] AS subs, '' AS crawler
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0;
DROP TABLE rate_changes, account_rates;
ALTER TABLE source_postbacks DROP COLUMN rate;
ALTER TABLE spend DROP COLUMN rate;
ALTER TABLE conversions DROP COLUMN rate;
ALTER TABLE clicks DROP COLUMN rate;
