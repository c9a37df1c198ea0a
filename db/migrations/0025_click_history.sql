-- The time from which the clicks of an account are kept. For earlier times only the ledger and the conversions remain.
-- deleted_to is the time up to which the rows of clicks have already been deleted. It reaches kept_from when all older rows are
-- deleted. An account without a row keeps all of its clicks.
-- +goose Up
CREATE TABLE click_history (
    account_id   uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    kept_from    timestamptz NOT NULL, -- midnight UTC; never set to an earlier time
    announced_at timestamptz NOT NULL,
    deleted_to   timestamptz NOT NULL DEFAULT 'epoch'
);
