-- Certificates that this install has obtained by ACME, and what obtaining them takes. What is sealed opens with
-- ENCRYPTION_KEY alone.
-- +goose Up
CREATE SEQUENCE edge_fences;
CREATE TABLE edge_hosts (
    host        text PRIMARY KEY CHECK (length(host) <= 253),
    fence       bigint NOT NULL DEFAULT 0,      -- of the last claim: an issuer with another one writes nothing
    lease_until timestamptz,                    -- until then an issuer has the host for itself
    sealed      bytea,                          -- key and chain; NULL: there is none yet
    ca          text NOT NULL DEFAULT '',       -- the directory that it is from
    not_after   timestamptz,
    renew_at    timestamptz,
    version     bigint NOT NULL DEFAULT 0,      -- the fence of who saved the certificate
    attempts    integer NOT NULL DEFAULT 0,     -- in a row without success, of the install's own hosts, which no domain asks for
    next_at     timestamptz                     -- of these: when to try again
);

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
DROP SEQUENCE edge_fences;
