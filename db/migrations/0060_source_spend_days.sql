-- Days for which the spend of a traffic source was read from its platform.
-- +goose Up
CREATE TABLE source_spend_days (
    source_id  uuid NOT NULL REFERENCES traffic_sources (id) ON DELETE CASCADE,
    day        date NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    clicks     bigint NOT NULL, -- number of clicks over which the spend was spread
    synced_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (source_id, day)
);
CREATE INDEX source_spend_days_account ON source_spend_days (account_id);

-- +goose Down
DROP TABLE source_spend_days;
