-- Coarser copies of the ledger. They have sums of its merged rows by fewer dimensions or by whole days, so that the usual
-- queries read some thousand rows and not a million. The statement that merges rows of the ledger also adds them here.
-- Rows that are not merged yet are read from the ledger. db/ledger has the list of copies.
-- +goose Up

-- A dimension that a copy leaves out is zero or empty.
CREATE TABLE ledger_rollups (
    rollup          text NOT NULL,
    account_id      uuid NOT NULL,
    hour            timestamptz NOT NULL, -- in a copy by days: the first hour of the day
    campaign_id     uuid NOT NULL,
    stream_id       uuid NOT NULL,
    lander_id       uuid NOT NULL,
    offer_id        uuid NOT NULL,
    source_id       uuid NOT NULL,
    country         text NOT NULL,
    device_type     text NOT NULL,
    os              text NOT NULL,
    browser         text NOT NULL,
    clicks          bigint NOT NULL,
    unique_clicks   bigint NOT NULL,
    bot_clicks      bigint NOT NULL,
    lp_views        bigint NOT NULL,
    lp_clicks       bigint NOT NULL,
    approved        bigint NOT NULL,
    pending         bigint NOT NULL,
    rejected        bigint NOT NULL,
    chargebacks     bigint NOT NULL,
    cost            numeric NOT NULL,
    revenue         numeric NOT NULL,
    pending_revenue numeric NOT NULL,
    PRIMARY KEY (rollup, account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id, country, device_type,
        os, browser)
) PARTITION BY LIST (rollup);
-- Rows of the current day are updated all the time.
CREATE TABLE ledger_rollups_traffic PARTITION OF ledger_rollups FOR VALUES IN ('traffic') WITH (fillfactor = 80);
CREATE TABLE ledger_rollups_paths PARTITION OF ledger_rollups FOR VALUES IN ('paths') WITH (fillfactor = 80);
CREATE TABLE ledger_rollups_audience PARTITION OF ledger_rollups FOR VALUES IN ('audience') WITH (fillfactor = 80);

UPDATE ledger SET merged = false WHERE merged; -- the next compactions add the existing rows to the copies

-- +goose Down
DROP TABLE ledger_rollups;
