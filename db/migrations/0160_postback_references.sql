-- The ids by which a shop's later messages refer to a conversion, such as the id of an order's payment. They are needed because a
-- message such as a refund names no click. A message that was recorded has a row with its own id, so that it is not recorded
-- twice.
-- +goose Up
CREATE TABLE postback_references (
    account_id    uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    network_id    uuid NOT NULL,
    reference     text NOT NULL,
    click_id      uuid NOT NULL,
    goal          text NOT NULL,
    conversion_id text NOT NULL,
    payout        text NOT NULL, -- the amount of the sale as the shop reported it, or empty
    created_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, network_id, reference, click_id, goal, conversion_id)
);
CREATE INDEX postback_references_click ON postback_references (click_id);

-- +goose Down
DROP TABLE postback_references;
