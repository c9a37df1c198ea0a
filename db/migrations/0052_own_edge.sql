-- Certificates that this install has obtained by ACME, and the data that are needed to obtain them. The columns named sealed are
-- encrypted and can be decrypted only with ENCRYPTION_KEY.
-- +goose Up
CREATE SEQUENCE edge_fences;
CREATE TABLE edge_hosts (
    host        text PRIMARY KEY CHECK (length(host) <= 253),
    fence       bigint NOT NULL DEFAULT 0,      -- fence of the last claim; an issuer with another fence must not write
    lease_until timestamptz,                    -- until this time one issuer holds the host
    sealed      bytea,                          -- key and certificate chain; NULL: there is no certificate yet
    ca          text NOT NULL DEFAULT '',       -- the ACME directory of the authority that issued the certificate
    not_after   timestamptz,
    renew_at    timestamptz,
    version     bigint NOT NULL DEFAULT 0,      -- the fence of the issuer that saved the certificate
    attempts    integer NOT NULL DEFAULT 0,     -- failed attempts in a row; only for hosts of the install itself, which are not in the table domains
    next_at     timestamptz                     -- time of the next attempt for such a host
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
    answer     text NOT NULL DEFAULT '',        -- the answer to an HTTP-01 challenge
    sealed     bytea,                           -- the certificate for a TLS-ALPN-01 challenge, with its key
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (host, token)
);

-- +goose Down
DROP TABLE acme_challenges;
DROP TABLE acme_accounts;
DROP TABLE edge_hosts;
DROP SEQUENCE edge_fences;
