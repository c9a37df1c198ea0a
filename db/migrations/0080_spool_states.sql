-- For each process that records clicks: whether it is behind with storing them in PostgreSQL. A process has a row while it runs,
-- and for a few minutes after a crash.
-- +goose Up
CREATE TABLE spool_states (
    process      uuid PRIMARY KEY,
    seen_at      timestamptz NOT NULL,
    behind_since timestamptz, -- NULL: the process is not behind
    stored_until timestamptz  -- if it is behind: the time up to which its clicks are stored
);

-- +goose Down
DROP TABLE spool_states;
