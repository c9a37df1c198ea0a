-- For each click with conversions: the data that are kept after the click was deleted because of its age. A network may decide
-- on an order up to a year later, and the decision then changes the figures of the click's hour. No column identifies
-- the visitor.
-- +goose Up
CREATE TABLE converted_clicks (
    id              uuid PRIMARY KEY, -- id of the click
    at              timestamptz NOT NULL,
    account_id      uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    campaign_id     uuid NOT NULL,
    stream_id       uuid NOT NULL,
    lander_id       uuid NOT NULL,
    offer_id        uuid NOT NULL,
    network_id      uuid NOT NULL,
    source_id       uuid NOT NULL,
    country         text NOT NULL,
    device_type     text NOT NULL,
    os              text NOT NULL,
    browser         text NOT NULL,
    currency        text NOT NULL,
    rate            numeric,
    conversion_cost numeric NOT NULL,
    revenue_share   numeric NOT NULL
);
CREATE INDEX converted_clicks_account ON converted_clicks (account_id, id);

-- +goose Down
DROP TABLE converted_clicks;
