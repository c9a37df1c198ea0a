-- The time from which the clicks of an account are kept. For older times only the ledger and the conversions remain. deleted_to,
-- which follows kept_from, is the time up to which rows of clicks are deleted. An account without a row keeps all of its clicks.
-- +goose Up
CREATE TABLE click_history (
    account_id   uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    kept_from    timestamptz NOT NULL, -- midnight UTC; it never goes back
    announced_at timestamptz NOT NULL,
    deleted_to   timestamptz NOT NULL DEFAULT 'epoch'
);
