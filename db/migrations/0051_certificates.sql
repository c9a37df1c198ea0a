-- What an edge has for each domain: its certificate, and when to look at it again.
-- +goose Up
CREATE TABLE certificates (
    domain_id      uuid PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
    account_id     uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    host           text NOT NULL,
    edge           text NOT NULL,
    wanted         boolean NOT NULL DEFAULT true,       -- false: it was released, and does not come back by itself
    external_id    text NOT NULL DEFAULT '',            -- the edge's own name for it; empty: none that we know of
    asked_at       timestamptz,                         -- since when the edge may have something for the host
    ssl_status     text NOT NULL DEFAULT 'none',
    serving        boolean NOT NULL DEFAULT false,
    detail         text NOT NULL DEFAULT '',
    ownership      jsonb NOT NULL DEFAULT 'null',
    ownership_http jsonb NOT NULL DEFAULT 'null',
    errors         jsonb NOT NULL DEFAULT '[]',
    issued_at      timestamptz,
    expires_at     timestamptz,
    renew_at       timestamptz,                         -- NULL: the edge renews by itself
    changed_at     timestamptz NOT NULL DEFAULT now(),  -- since when it is in its state
    checked_at     timestamptz,                         -- when the edge last answered
    failure        text NOT NULL DEFAULT '',            -- why it cannot be had, as of the last time; empty: it can
    failing_since  timestamptz,
    attempts       integer NOT NULL DEFAULT 0,          -- that failed since it last served
    next_at        timestamptz,                         -- when to look again; NULL: only when somebody asks
    lease_until    timestamptz,                         -- until then one worker has it
    fence          bigint NOT NULL DEFAULT 0
);
CREATE INDEX certificates_due ON certificates (next_at) WHERE wanted AND next_at IS NOT NULL;
CREATE INDEX certificates_account ON certificates (account_id);
CREATE INDEX certificates_host ON certificates (host);

-- +goose Down
DROP TABLE certificates;
