-- What the platform of a traffic source reported for a day, shared among our campaigns. Spend can be changed by hand, and these stay
-- as they were read, so that both can be compared.
-- +goose Up
CREATE TABLE source_figures (
    source_id   uuid NOT NULL REFERENCES traffic_sources (id) ON DELETE CASCADE,
    day         date NOT NULL,    -- of the platform, in its time zone
    campaign_id uuid NOT NULL,    -- zero: none of our campaigns
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    amount      numeric NOT NULL,
    currency    text NOT NULL,
    clicks      bigint,           -- null: not reported
    impressions bigint,
    PRIMARY KEY (source_id, day, campaign_id)
);
CREATE INDEX source_figures_account ON source_figures (account_id);

INSERT INTO source_figures (source_id, day, campaign_id, account_id, amount, currency, clicks, impressions)
SELECT s.source_id, s.day, s.campaign_id, s.account_id, s.amount, s.currency, s.clicks, s.impressions
FROM spend s JOIN source_spend_days d ON d.source_id = s.source_id AND d.day = s.day AND d.account_id = s.account_id;

-- +goose Down
DROP TABLE source_figures;
