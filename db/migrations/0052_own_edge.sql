-- Certificates that this install has obtained by ACME, and what obtaining them takes. What is sealed opens with
-- ENCRYPTION_KEY alone.
-- +goose Up
CREATE SEQUENCE edge_versions;
CREATE TABLE edge_hosts (
    host        text PRIMARY KEY CHECK (length(host) <= 253),
    fence       bigint NOT NULL DEFAULT 0,      -- grows with every claim: an issuer with an older one writes nothing
    lease_until timestamptz,                    -- until then an issuer has the host for itself
    sealed      bytea,                          -- key and chain; NULL: there is none, or not any more
    ca          text NOT NULL DEFAULT '',       -- the directory that it is from
    not_after   timestamptz,
    renew_at    timestamptz,
    version     bigint NOT NULL DEFAULT 0,      -- of edge_versions, in the order of commits; 0: there never was one
    changed_at  timestamptz NOT NULL DEFAULT now(),
    install     boolean NOT NULL DEFAULT false, -- one of the install's own hosts, which no account's domain asks for
    attempts    integer NOT NULL DEFAULT 0,     -- of these, in a row without success
    next_at     timestamptz,                    -- of these: when to look next
    error       text NOT NULL DEFAULT ''
);
CREATE INDEX edge_hosts_version ON edge_hosts (version) WHERE version > 0;
CREATE INDEX edge_hosts_due ON edge_hosts (next_at) WHERE install;

CREATE TABLE acme_accounts (
    directory  text NOT NULL,
    contact    text NOT NULL,
    sealed     bytea NOT NULL,                  -- the key
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (directory, contact)
);

CREATE TABLE acme_challenges (
    host       text NOT NULL,
    token      text NOT NULL,
    answer     text NOT NULL DEFAULT '',        -- to HTTP-01
    sealed     bytea,                           -- the certificate of TLS-ALPN-01, with its key
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (host, token)
);

-- +goose Down
DROP TABLE acme_challenges;
DROP TABLE acme_accounts;
DROP TABLE edge_hosts;
DROP SEQUENCE edge_versions;
