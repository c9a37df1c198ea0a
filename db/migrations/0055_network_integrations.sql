-- Connections to the APIs of affiliate networks' platforms, and the runs of integrations with their results.
-- +goose Up
CREATE TABLE network_integrations (
    network_id    uuid PRIMARY KEY REFERENCES networks (id) ON DELETE CASCADE,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider      text NOT NULL,
    settings      jsonb NOT NULL DEFAULT '{}',   -- the credentials that are not secret
    secrets       bytea NOT NULL,                -- the secret credentials, encrypted
    is_enabled    boolean NOT NULL DEFAULT true, -- orders are imported automatically
    saved_at      timestamptz NOT NULL DEFAULT now(),
    checked_at    timestamptz,                   -- when the platform was last called
    synced_at     timestamptz,                   -- when orders were last imported
    failure       text NOT NULL DEFAULT '',      -- why the last call failed; empty: it succeeded
    failures      integer NOT NULL DEFAULT 0,    -- number of failures in a row
    failing_since timestamptz,
    next_at       timestamptz NOT NULL,          -- time of the next automatic import
    wide_at       timestamptz NOT NULL           -- the first automatic import after this time covers a longer window
);
CREATE INDEX network_integrations_account ON network_integrations (account_id);
CREATE INDEX network_integrations_due ON network_integrations (next_at) WHERE is_enabled;

CREATE TABLE integration_runs (
    id          uuid PRIMARY KEY,                -- the id of the run's job
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind        text NOT NULL,                   -- kind of the run, such as network_sync
    target_id   uuid NOT NULL,                   -- the record of the run: for network_sync, the network
    provider    text NOT NULL,
    origin      text NOT NULL,                   -- api or clock
    from_day    date,
    to_day      date,
    applied     boolean NOT NULL,                -- false: a dry run
    started_at  timestamptz NOT NULL,
    ended_at    timestamptz,                     -- NULL: the run is in progress, or its process has died
    requests    integer NOT NULL DEFAULT 0,
    pages       integer NOT NULL DEFAULT 0,
    read        integer NOT NULL DEFAULT 0,      -- number of orders
    matched     integer NOT NULL DEFAULT 0,      -- number of orders with a click of the account
    changed     integer NOT NULL DEFAULT 0,      -- number of conversions that were created or changed
    failure     text NOT NULL DEFAULT ''
);
CREATE INDEX integration_runs_target ON integration_runs (target_id, started_at DESC);
CREATE INDEX integration_runs_account ON integration_runs (account_id);
CREATE INDEX integration_runs_age ON integration_runs (started_at);

-- +goose Down
DROP TABLE integration_runs;
DROP TABLE network_integrations;
