-- Assistants that people connect by OAuth. A grant has the same id as the key with which the assistant acts.
-- +goose Up
CREATE TABLE assistant_clients (
    id            text PRIMARY KEY,   -- the client id that the client sends; if the client publishes its own description, the URL of the description
    kind          text NOT NULL,      -- registered, or document: the client publishes its own description
    name          text NOT NULL,      -- chosen by the client
    redirect_uris text[] NOT NULL,
    read_at       timestamptz NOT NULL, -- when the client registered, or its document was read
    used_at       timestamptz NOT NULL  -- when a person last decided about the client; at first the same as read_at
);
CREATE INDEX assistant_clients_age ON assistant_clients (kind, used_at);

CREATE TABLE assistant_grants (
    id           uuid PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
    account_id   uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id    text NOT NULL,
    client_name  text NOT NULL,
    client_host  text NOT NULL,
    rights       text NOT NULL,       -- read, propose or change
    resource     text NOT NULL,       -- the address at which the grant's tokens are valid
    connected_at timestamptz          -- when the grant's code was exchanged; NULL: not yet
);
CREATE INDEX assistant_grants_person ON assistant_grants (account_id, user_id);
CREATE INDEX assistant_grants_user ON assistant_grants (user_id);
CREATE INDEX assistant_grants_client ON assistant_grants (client_id);

CREATE TABLE assistant_tokens (
    hash         bytea PRIMARY KEY,   -- SHA-256 of the token
    account_id   uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    grant_id     uuid NOT NULL REFERENCES assistant_grants (id) ON DELETE CASCADE,
    kind         text NOT NULL,       -- code, access or refresh
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz,         -- when the code or the refresh token was exchanged; a second use ends the grant
    redirect_uri text NOT NULL DEFAULT '', -- only of a code
    challenge    text NOT NULL DEFAULT ''  -- only of a code: SHA-256 of the verifier, in base64url
);
CREATE INDEX assistant_tokens_grant ON assistant_tokens (grant_id);
CREATE INDEX assistant_tokens_account ON assistant_tokens (account_id);
CREATE INDEX assistant_tokens_age ON assistant_tokens (expires_at);

-- +goose Down
DROP TABLE assistant_tokens, assistant_grants, assistant_clients;
