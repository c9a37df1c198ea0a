-- The sale amount that a conversion is paid for, if its sender reports it, and the orders that a network's report has listed. An
-- order that disappears from the report of a platform such as Everflow was rejected.
-- +goose Up
ALTER TABLE conversions ADD COLUMN sale_amount numeric, ADD COLUMN sale_currency text NOT NULL DEFAULT '';

CREATE TABLE listed_orders (
    network_id    uuid NOT NULL REFERENCES networks (id) ON DELETE CASCADE,
    click_id      uuid NOT NULL,
    goal          text NOT NULL,
    conversion_id text NOT NULL, -- conversion_id of the conversion that the order is recorded as
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    ordered_at    timestamptz NOT NULL,
    listed_at     timestamptz NOT NULL, -- if not before the last save of the connection, this connection has listed the order
    PRIMARY KEY (network_id, click_id, goal, conversion_id)
);
CREATE INDEX listed_orders_account ON listed_orders (account_id);
CREATE INDEX listed_orders_time ON listed_orders (network_id, ordered_at);

-- +goose Down
DROP TABLE listed_orders;
ALTER TABLE conversions DROP COLUMN sale_amount, DROP COLUMN sale_currency;
