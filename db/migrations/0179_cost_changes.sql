-- Spend for a part of a day or for the clicks with one value of a sub-parameter, and the history of costs that people have set.
-- +goose Up
ALTER TABLE spend
    ADD COLUMN starts    int NOT NULL DEFAULT 0,     -- seconds from the start of the day, inclusive
    ADD COLUMN ends      int NOT NULL DEFAULT 86400, -- exclusive
    ADD COLUMN sub       smallint NOT NULL DEFAULT 0, -- number of the sub-parameter; 0: all clicks
    ADD COLUMN sub_value text NOT NULL DEFAULT '',
    ADD COLUMN place     bigint NOT NULL DEFAULT 0,  -- among the spend of a day, spend that was set later has a higher place
    ADD COLUMN change_id uuid;                       -- the change by which a person has set the spend

-- A cost that a person has set, by hand or by a file. The id is also the id of the job that sets it.
CREATE TABLE cost_changes (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind        text NOT NULL,                    -- hand or file
    who         text NOT NULL,                    -- name of the person or of the key
    request     jsonb NOT NULL,                   -- the request of a change by hand; empty for a file
    statement   uuid NOT NULL,                    -- id of the entries in conversions.statements that give the new cost
    base        text NOT NULL,                    -- the account's currency when the cost was set; the columns before and after are in it
    first_day   date,                             -- first day of the spend, in UTC
    last_day    date,
    clicks      bigint NOT NULL DEFAULT 0,        -- number of clicks over which the cost was spread
    parts       int NOT NULL DEFAULT 0,           -- number of rows of spend that were set
    snapshots   bigint NOT NULL DEFAULT 0,        -- number of clicks whose earlier prices are stored
    kept        boolean NOT NULL DEFAULT true,    -- the earlier values are stored; false: too many clicks, or expired
    before      numeric NOT NULL DEFAULT 0,
    after       numeric NOT NULL DEFAULT 0,
    replaced    jsonb NOT NULL DEFAULT '[]',      -- spend that was replaced
    created_at  timestamptz NOT NULL DEFAULT now(),
    undone_at   timestamptz,
    undone_by   text NOT NULL DEFAULT '',
    undone_job  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
CREATE INDEX cost_changes_account ON cost_changes (account_id, created_at);

-- The prices of clicks and the given costs of conversions before a change. They are deleted together with the change, and also
-- when the change is undone or can no longer be undone.
CREATE TABLE cost_change_clicks (
    change_id       uuid NOT NULL REFERENCES cost_changes (id) ON DELETE CASCADE,
    click_id        uuid NOT NULL,
    cost            numeric NOT NULL,
    unique_cost     numeric NOT NULL,
    conversion_cost numeric NOT NULL,
    revenue_share   numeric NOT NULL,
    currency        text NOT NULL,
    rate            numeric,
    is_bot          boolean NOT NULL,
    PRIMARY KEY (change_id, click_id)
);
CREATE TABLE cost_change_conversions (
    change_id     uuid NOT NULL REFERENCES cost_changes (id) ON DELETE CASCADE,
    conversion_id uuid NOT NULL,
    click_id      uuid NOT NULL,
    given_cost    numeric,
    PRIMARY KEY (change_id, conversion_id)
);

-- Spend without clicks counts at the first full hour from the start of its part of the day, at the latest at 23:00. It has the value
-- of its sub-parameter.
CREATE OR REPLACE VIEW spend_alone AS
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

-- +goose Down
DROP VIEW spend_alone;
CREATE VIEW spend_alone AS
SELECT account_id, day::timestamp AT TIME ZONE 'UTC' AS at, amount * rate AS cost, campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind, '{}'::text[] AS subs, '' AS crawler,
    amount, currency, rate
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0 AND rate IS NOT NULL;
DROP TABLE cost_change_conversions, cost_change_clicks, cost_changes;
ALTER TABLE spend DROP COLUMN starts, DROP COLUMN ends, DROP COLUMN sub, DROP COLUMN sub_value, DROP COLUMN place, DROP COLUMN change_id;
