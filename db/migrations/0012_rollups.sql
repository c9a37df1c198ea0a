-- Coarser copies of the ledger: the sums of its merged rows over fewer dimensions, or over days, so that the usual
-- questions read some thousand rows and not a million. The compaction that merges rows adds them here, in the same
-- statement; rows that it has not seen yet are read from the ledger. Which copies there are is a table in clicklog.
-- +goose Up

-- A dimension that a copy leaves out is zero or empty.
CREATE TABLE ledger_rollups (
    rollup          text NOT NULL,
    account_id      uuid NOT NULL,
    hour            timestamptz NOT NULL, -- the first one of the day in a copy by days
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
-- Rows of the running day are updated all the time.
CREATE TABLE ledger_rollups_traffic PARTITION OF ledger_rollups FOR VALUES IN ('traffic') WITH (fillfactor = 80);
CREATE TABLE ledger_rollups_paths PARTITION OF ledger_rollups FOR VALUES IN ('paths') WITH (fillfactor = 80);
CREATE TABLE ledger_rollups_audience PARTITION OF ledger_rollups FOR VALUES IN ('audience') WITH (fillfactor = 80);

UPDATE ledger SET merged = false WHERE merged; -- what is there is added by the next compactions

-- +goose Down
DROP TABLE ledger_rollups;
