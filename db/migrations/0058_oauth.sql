-- Connections to ad platforms by sign-in, and sign-ins that are in progress.
-- +goose Up
CREATE TABLE oauth_connections (
    id            uuid PRIMARY KEY,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider      text NOT NULL,
    user_id       text NOT NULL,                   -- the platform's id of the person who signed in
    user_name     text NOT NULL DEFAULT '',
    tokens        bytea NOT NULL,                  -- encrypted
    scopes        text NOT NULL DEFAULT '',        -- the granted scopes, separated by spaces
    status        text NOT NULL DEFAULT 'active',  -- active or revoked
    failure       text NOT NULL DEFAULT '',        -- why the last refresh failed; empty: it did not fail
    failing_since timestamptz,
    connected_at  timestamptz NOT NULL DEFAULT now(),
    refreshed_at  timestamptz,
    expires_at    timestamptz,                     -- when the access token expires; NULL: it does not expire
    refresh_at    timestamptz,                     -- when the tokens are refreshed; NULL: never
    version       bigint NOT NULL DEFAULT 1,       -- version of the tokens
    lease         uuid,                            -- lease of the process that renews the tokens
    lease_until   timestamptz,
    UNIQUE (account_id, provider, user_id)
);
CREATE INDEX oauth_connections_refresh ON oauth_connections (refresh_at) WHERE status = 'active';

CREATE TABLE oauth_attempts (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider   text NOT NULL,
    state_hash bytea NOT NULL UNIQUE,              -- SHA-256 of the state that the platform sends back
    redirect   text NOT NULL,                      -- where the platform sends the browser
    verifier   bytea NOT NULL,                     -- the PKCE verifier, encrypted
    code       bytea,                              -- the code from the platform, encrypted; NULL: not received yet
    expires_at timestamptz NOT NULL
);
CREATE INDEX oauth_attempts_account ON oauth_attempts (account_id);
CREATE INDEX oauth_attempts_age ON oauth_attempts (expires_at);

-- +goose Down
DROP TABLE oauth_attempts;
DROP TABLE oauth_connections;
