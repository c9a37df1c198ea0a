-- People who sign in to the dashboard: their accounts, their sessions, the links with which they sign in or set a password, and
-- the log of changes by people and keys. The tokens of sessions and links, and the recovery codes, are stored as SHA-256 hashes.
-- +goose Up
CREATE TABLE users (
    id         uuid PRIMARY KEY,
    email      text NOT NULL UNIQUE,       -- lower case
    name       text NOT NULL,
    password   text NOT NULL DEFAULT '',   -- argon2id; empty: sign-in by password is not possible
    totp       bytea,                      -- encrypted; null: no code is required
    totp_new   bytea,                      -- encrypted; a secret that no code has confirmed yet
    totp_step  bigint NOT NULL DEFAULT 0,  -- the time step of the last code that was used
    theme      text NOT NULL DEFAULT 'system',
    language   text NOT NULL DEFAULT 'en',
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_id    uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, user_id)
);
CREATE INDEX memberships_user ON memberships (user_id);

-- A session belongs to one account. It ends when the person's membership in the account ends.
CREATE TABLE sessions (
    id           uuid PRIMARY KEY,
    hash         bytea NOT NULL UNIQUE,
    user_id      uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    account_id   uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    address      text NOT NULL,
    agent        text NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now(),
    seen_at      timestamptz NOT NULL DEFAULT now(),
    confirmed_at timestamptz NOT NULL DEFAULT now(), -- when the person last confirmed their identity
    FOREIGN KEY (account_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_membership ON sessions (account_id, user_id);

CREATE TABLE entry_links (
    id         uuid PRIMARY KEY,
    hash       bytea NOT NULL UNIQUE,
    kind       text NOT NULL,           -- invite, reset or entry
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    email      text NOT NULL,
    role       text NOT NULL,           -- role that an invite gives
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX entry_links_account ON entry_links (account_id);

CREATE TABLE recovery_codes (
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash    bytea NOT NULL,
    PRIMARY KEY (user_id, hash)
);

CREATE TABLE audit (
    id         uuid PRIMARY KEY,        -- a UUIDv7, so ids are in the order of time
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    user_id    uuid,                    -- null: a key made the change
    key_id     uuid,                    -- null: a person made the change
    who        text NOT NULL,           -- the name of the person or key at that time
    address    text NOT NULL,
    route      text NOT NULL,           -- method and path of the route
    record     text NOT NULL,           -- the id of the record that the call named or created; empty: no record
    fields     text[] NOT NULL,         -- names of the fields in the body
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_account ON audit (account_id, id);
CREATE INDEX audit_age ON audit (created_at);

-- +goose Down
DROP TABLE audit, recovery_codes, entry_links, sessions, memberships, users;
