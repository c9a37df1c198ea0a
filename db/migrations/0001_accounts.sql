-- Accounts, their API keys, and the answers kept for repeated requests.
-- +goose Up

-- One random value per install. Several keys are derived from it, such as the key that signs cursors. Without ENCRYPTION_KEY the
-- service's own secrets are encrypted with such a key too. gen_random_uuid uses the server's strong random source.
CREATE TABLE installation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    secret   bytea NOT NULL
);
INSERT INTO installation (secret)
VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

CREATE TABLE accounts (
    id            uuid PRIMARY KEY,
    name          text NOT NULL,
    plan          text NOT NULL,
    currency      text NOT NULL DEFAULT 'USD',
    timezone      text NOT NULL DEFAULT 'UTC',
    date_format   text NOT NULL DEFAULT 'YYYY-MM-DD',
    time_format   text NOT NULL DEFAULT '24h',
    site_key      text NOT NULL UNIQUE,
    bot_threshold int  NOT NULL DEFAULT 60,
    bot_disabled  text[] NOT NULL DEFAULT '{}',
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
    id           uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name         text NOT NULL,
    scope        text NOT NULL CHECK (scope IN ('full', 'read_only')),
    hash         bytea NOT NULL UNIQUE, -- SHA-256 of the whole key
    hint         text NOT NULL,         -- first and last characters, to tell keys apart in a list
    created_at   timestamptz NOT NULL DEFAULT now(),
    expires_at   timestamptz,
    revoked_at   timestamptz,
    rotated_to   uuid REFERENCES api_keys (id) ON DELETE SET NULL
);
CREATE INDEX api_keys_account ON api_keys (account_id, created_at);

CREATE TABLE idempotency_keys (
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    key         text NOT NULL,
    fingerprint bytea NOT NULL,  -- SHA-256 of method, path, query and body
    status      int,             -- null while the first request of a slow call still runs
    answer      bytea,           -- encrypted: an answer may contain a secret that is shown once
    lease_until timestamptz,     -- for a slow call: the time until which the first request counts as running
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- +goose Down
DROP TABLE idempotency_keys, api_keys, accounts, installation;
