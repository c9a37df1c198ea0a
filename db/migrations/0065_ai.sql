-- Connections of accounts to AI providers, and the tokens that the chat has used each day.
-- +goose Up
CREATE TABLE ai_connections (
    account_id uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    provider   text NOT NULL,
    model      text NOT NULL,
    key        bytea NOT NULL, -- encrypted
    saved_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE ai_usage (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    day        date NOT NULL,             -- in the account's time zone
    own_key    boolean NOT NULL,          -- true: tokens used with the account's own key; false: with the install's key
    questions  integer NOT NULL,
    tokens     bigint NOT NULL,           -- tokens that were used, or are reserved for questions that are being answered
    PRIMARY KEY (account_id, day, own_key)
);
CREATE INDEX ai_usage_day ON ai_usage (day);

-- +goose Down
DROP TABLE ai_usage, ai_connections;
