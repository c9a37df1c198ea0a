-- The time until which deferrable work pauses, because a web process has clicks to store or its redirects wait for a processor.
-- +goose Up
ALTER TABLE spool_states ADD COLUMN rest_until timestamptz; -- NULL: there was never a pause

-- +goose Down
ALTER TABLE spool_states DROP COLUMN rest_until;
