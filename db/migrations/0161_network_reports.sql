-- The amount of the sale for which a conversion is paid, if the sender reports it, and the orders that a network's report has
-- listed. If an order disappears from the report of a platform such as Everflow, the order was rejected.
-- +goose Up
ALTER TABLE conversions ADD COLUMN sale_amount numeric, ADD COLUMN sale_currency text NOT NULL DEFAULT '';

CREATE TABLE listed_orders (
    network_id    uuid NOT NULL REFERENCES networks (id) ON DELETE CASCADE,
    click_id      uuid NOT NULL,
    goal          text NOT NULL,
    conversion_id text NOT NULL, -- conversion_id of the conversion that records the order
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ordered_at    timestamptz NOT NULL,
    listed_at     timestamptz NOT NULL, -- when an import listed the order; the row is ignored if this is before the last save of the connection
    PRIMARY KEY (network_id, click_id, goal, conversion_id)
);
CREATE INDEX listed_orders_account ON listed_orders (account_id);
CREATE INDEX listed_orders_time ON listed_orders (network_id, ordered_at);

-- +goose Down
DROP TABLE listed_orders;
ALTER TABLE conversions DROP COLUMN sale_amount, DROP COLUMN sale_currency;
