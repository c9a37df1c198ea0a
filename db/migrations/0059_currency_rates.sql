-- Exchange rates by day, and the results of fetching rates from their sources.
-- +goose Up
CREATE TABLE currency_rates (
    base     text NOT NULL,               -- EUR
    currency text NOT NULL,
    day      date NOT NULL,
    rate     numeric NOT NULL CHECK (rate > 0), -- one unit of the base is worth this much of the currency
    source   text NOT NULL,               -- ecb or file
    PRIMARY KEY (base, currency, day)
);
CREATE INDEX currency_rates_day ON currency_rates (day);

CREATE TABLE rate_sources (
    source   text PRIMARY KEY,            -- ecb or file
    next_at  timestamptz NOT NULL,        -- time of the next fetch
    asked_at timestamptz,                 -- time of the last fetch
    failures integer NOT NULL DEFAULT 0,  -- number of failures in a row
    failure  text NOT NULL DEFAULT ''     -- why the last fetch failed; empty: it succeeded
);

-- +goose Down
DROP TABLE rate_sources;
DROP TABLE currency_rates;
