-- Exchange rates by day, and how those who give them answered.
-- +goose Up
CREATE TABLE currency_rates (
    base     text NOT NULL,               -- EUR
    currency text NOT NULL,
    day      date NOT NULL,
    rate     numeric NOT NULL CHECK (rate > 0), -- so much of the currency is one of the base
    source   text NOT NULL,               -- ecb or file
    PRIMARY KEY (base, currency, day)
);
CREATE INDEX currency_rates_day ON currency_rates (day);

CREATE TABLE rate_sources (
    source   text PRIMARY KEY,            -- ecb or file
    next_at  timestamptz NOT NULL,        -- when it is asked next
    asked_at timestamptz,                 -- when it was last asked
    failures integer NOT NULL DEFAULT 0,  -- in a row
    failure  text NOT NULL DEFAULT ''     -- why it failed; empty: it did not
);

-- +goose Down
DROP TABLE rate_sources;
DROP TABLE currency_rates;
