-- How far the processes that record clicks are with storing them. Each has a row while it runs.
-- +goose Up
CREATE TABLE spool_states (
    process      uuid PRIMARY KEY,
    seen_at      timestamptz NOT NULL,
    behind_since timestamptz, -- NULL: it is not behind
    stored_until timestamptz  -- of one that is behind: until when its clicks are stored
);

-- +goose Down
DROP TABLE spool_states;
