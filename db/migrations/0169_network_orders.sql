-- Conversions and daily sums as networks report them, so that they can be compared with ours.
-- +goose Up
CREATE TABLE network_orders (
    network_id    uuid NOT NULL REFERENCES networks (id) ON DELETE CASCADE,
    order_id      text NOT NULL,     -- the network's own id
    click_id      uuid NOT NULL,     -- zero: the order names no click of ours
    order_goal    text NOT NULL,     -- the goal that the network names
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    goal          text NOT NULL,     -- goal and conversion_id of our conversion
    conversion_id text NOT NULL,
    day           date NOT NULL,     -- the network's day, in its time zone
    status        text NOT NULL,     -- approved, pending, rejected or chargeback; empty: not known
    payout        numeric,           -- null: not known
    currency      text NOT NULL,
    refusal       text NOT NULL,     -- why the order was not recorded; empty: it was recorded
    from_file     boolean NOT NULL,  -- the order comes from a file that a person has uploaded
    read_at       timestamptz NOT NULL, -- when a reading of the order last changed this row
    PRIMARY KEY (network_id, order_id, click_id, order_goal)
);
CREATE INDEX network_orders_days ON network_orders (network_id, day);
CREATE INDEX network_orders_click ON network_orders (click_id);
CREATE INDEX network_orders_account ON network_orders (account_id);

CREATE TABLE network_totals (
    network_id  uuid NOT NULL REFERENCES networks (id) ON DELETE CASCADE,
    day         date NOT NULL,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    clicks      bigint,              -- null: not reported
    conversions bigint,
    payout      numeric,
    currency    text NOT NULL,
    read_at     timestamptz NOT NULL,
    PRIMARY KEY (network_id, day)
);
CREATE INDEX network_totals_account ON network_totals (account_id);

-- +goose Down
DROP TABLE network_totals, network_orders;
