-- Until when work that can wait rests, because the process has clicks to store or its redirects wait for a processor.
-- +goose Up
ALTER TABLE spool_states ADD COLUMN rest_until timestamptz; -- NULL: it never had to

-- +goose Down
ALTER TABLE spool_states DROP COLUMN rest_until;
