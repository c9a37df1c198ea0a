-- Orders that an import from a network has read after a postback had already reported the same conversion under another id.
-- +goose Up
CREATE TABLE adopted_orders (
    network_id    uuid NOT NULL REFERENCES networks (id) ON DELETE CASCADE,
    order_id      text NOT NULL,
    click_id      uuid NOT NULL,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    goal          text NOT NULL,
    conversion_id text NOT NULL,
    PRIMARY KEY (network_id, click_id, order_id)
);
CREATE INDEX adopted_orders_account ON adopted_orders (account_id);

-- +goose Down
DROP TABLE adopted_orders;
