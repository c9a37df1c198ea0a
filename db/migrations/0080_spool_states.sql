-- For each process that records clicks: the time up to which its clicks are stored in PostgreSQL. A process has a row while it
-- runs.
-- +goose Up
CREATE TABLE spool_states (
    process      uuid PRIMARY KEY,
    seen_at      timestamptz NOT NULL,
    behind_since timestamptz, -- NULL: the process is not behind
    stored_until timestamptz  -- if it is behind: the time up to which its clicks are stored
);

-- +goose Down
DROP TABLE spool_states;
