-- The state of each domain's certificate, and the time of the next check. The edge is the issuer: this install by ACME, or Cloudflare.
-- +goose Up
CREATE TABLE certificates (
    domain_id      uuid PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
    account_id     uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    host           text NOT NULL,
    edge           text NOT NULL,
    wanted         boolean NOT NULL DEFAULT true,       -- false: the certificate was released, and is not requested again automatically
    external_id    text NOT NULL DEFAULT '',            -- the edge's own name of the certificate; empty: not known
    asked_at       timestamptz,                         -- since this time the edge may have data for the host
    ssl_status     text NOT NULL DEFAULT 'none',
    serving        boolean NOT NULL DEFAULT false,
    detail         text NOT NULL DEFAULT '',
    ownership      jsonb NOT NULL DEFAULT 'null',
    ownership_http jsonb NOT NULL DEFAULT 'null',
    errors         jsonb NOT NULL DEFAULT '[]',
    issued_at      timestamptz,
    expires_at     timestamptz,
    renew_at       timestamptz,                         -- NULL: the edge itself renews the certificate
    changed_at     timestamptz NOT NULL DEFAULT now(),  -- when the certificate got its present state
    checked_at     timestamptz,                         -- when the edge last answered
    failure        text NOT NULL DEFAULT '',            -- why the last attempt to get the certificate failed; empty: it did not fail
    failing_since  timestamptz,
    attempts       integer NOT NULL DEFAULT 0,          -- failed attempts since the certificate was last in use
    next_at        timestamptz,                         -- time of the next check; NULL: only on request
    lease_until    timestamptz,                         -- until this time one worker holds the row
    fence          bigint NOT NULL DEFAULT 0
);
CREATE INDEX certificates_due ON certificates (next_at) WHERE wanted AND next_at IS NOT NULL;
CREATE INDEX certificates_account ON certificates (account_id);
CREATE INDEX certificates_host ON certificates (host);

-- +goose Down
DROP TABLE certificates;
