-- Uploaded files of corrections that a job still has to process, and spend by day and source.
-- +goose Up

-- A CSV file that a job processes. Its id is the id of the job. The row is deleted when the job has ended, at the latest
-- together with the job.
CREATE TABLE corrections (
    id         uuid PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    csv        bytea NOT NULL -- bytea, because the file may contain bytes that no text may have
);

-- The outcomes of the rows of a file. They are written together with the effect of the rows, so that a worker that takes over the
-- job knows which rows are done.
CREATE TABLE correction_parts (
    correction_id uuid NOT NULL REFERENCES corrections (id) ON DELETE CASCADE,
    first_row     int NOT NULL,
    outcomes      jsonb NOT NULL,
    PRIMARY KEY (correction_id, first_row)
);

-- The spend that an account has entered for a day (UTC) at a source, for one campaign or, if campaign_id is zero, for the whole
-- source. If there were clicks, their costs add up to this amount. If there were no clicks, the amount is counted on its own: see
-- spend_alone.
CREATE TABLE spend (
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    day         date NOT NULL,
    source_id   uuid NOT NULL,
    campaign_id uuid NOT NULL,
    amount      numeric NOT NULL,
    currency    text NOT NULL,
    clicks      bigint, -- number of clicks that the source counted; null: not stated
    impressions bigint,
    alone       boolean NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, day, source_id, campaign_id)
);

-- Spend without clicks, with the dimensions of a click, for reports that read rows. The ledger has this spend too.
CREATE VIEW spend_alone AS
SELECT account_id, day::timestamp AT TIME ZONE 'UTC' AS at, amount AS cost, campaign_id, source_id,
    z.id AS stream_id, z.id AS lander_id, z.id AS offer_id, z.id AS network_id, 0 AS lp_slot, '' AS country, '' AS region,
    '' AS city, '' AS language, '' AS isp, 0::bigint AS asn, '' AS connection_type, '' AS mobile_operator,
    '' AS device_type, '' AS device_brand, '' AS os, '' AS os_version, '' AS browser, '' AS browser_version,
    NULL::inet AS ip, '' AS referrer, '' AS arrival, '' AS bot_reason, '' AS proxy_kind, '{}'::text[] AS subs
FROM spend, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) AS z (id)
WHERE alone AND amount <> 0;

-- +goose Down
DROP VIEW spend_alone;
DROP TABLE spend, correction_parts, corrections;
