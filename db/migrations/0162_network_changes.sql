-- For networks that can list orders by the date of a change: the time up to which changes of orders have been read.
-- +goose Up
ALTER TABLE network_integrations
    ADD COLUMN changes_to       timestamptz,                         -- changes until this time are stored; NULL: no changes were read yet
    ADD COLUMN changes_at       timestamptz NOT NULL DEFAULT now(),  -- time of the next reading
    ADD COLUMN changes_failure  text        NOT NULL DEFAULT '',     -- why the last reading failed; empty: it succeeded
    ADD COLUMN changes_failures integer     NOT NULL DEFAULT 0;      -- number of failures in a row

-- +goose Down
ALTER TABLE network_integrations DROP COLUMN changes_to, DROP COLUMN changes_at, DROP COLUMN changes_failure, DROP COLUMN changes_failures;
