-- The figures that the platform of a traffic source reported for a day, assigned to our campaigns. Spend can be changed by hand, but
-- these figures stay as they were read, so that both can be compared.
-- +goose Up
CREATE TABLE source_figures (
    source_id   uuid NOT NULL REFERENCES traffic_sources (id) ON DELETE CASCADE,
    day         date NOT NULL,    -- the platform's day, in its time zone
    campaign_id uuid NOT NULL,    -- zero: the figures belong to none of our campaigns
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    amount      numeric NOT NULL,
    currency    text NOT NULL,
    clicks      bigint,           -- null: not reported
    impressions bigint,
    PRIMARY KEY (source_id, day, campaign_id)
);
CREATE INDEX source_figures_account ON source_figures (account_id);

-- +goose Down
DROP TABLE source_figures;
