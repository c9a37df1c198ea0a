-- Corrections: files on their way through a job, and what was spent by day and source.
-- +goose Up

-- A CSV file that a job works through; the id is the job's. It goes when the job has ended, at the latest with the job.
CREATE TABLE corrections (
    id         uuid PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    csv        bytea NOT NULL -- of hostile texts too: never taken for text here
);

-- What became of the rows of a file, written with their effect, so that a worker that takes over knows it.
CREATE TABLE correction_parts (
    correction_id uuid NOT NULL REFERENCES corrections (id) ON DELETE CASCADE,
    first_row     int NOT NULL,
    outcomes      jsonb NOT NULL,
    PRIMARY KEY (correction_id, first_row)
);

-- What an account says that it spent on a day (UTC) at a source, in all or for one campaign (zero: in all). Where there
-- were clicks their costs add up to it; where there were none it stands alone, and counts by itself.
CREATE TABLE spend (
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    day         date NOT NULL,
    source_id   uuid NOT NULL,
    campaign_id uuid NOT NULL,
    amount      numeric NOT NULL,
    currency    text NOT NULL,
    clicks      bigint, -- as the source counted them; null: not said
    impressions bigint,
    alone       boolean NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, day, source_id, campaign_id)
);

-- Spend that stands alone, as a fact with the dimensions of a click, for reports from rows. The ledger has it too.
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
