-- From when on the clicks of an account are kept. What is older is archive: the ledger and conversions alone. Rows of clicks
-- are deleted up to deleted_to, behind kept_from. An account without a row keeps all clicks that there are.
-- +goose Up
CREATE TABLE click_history (
    account_id   uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    kept_from    timestamptz NOT NULL, -- midnight UTC; it never goes back
    announced_at timestamptz NOT NULL,
    deleted_to   timestamptz NOT NULL DEFAULT 'epoch'
);
