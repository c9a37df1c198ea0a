-- How often assistants have used a key for changes, and how often they have changed a record, in the current period.
-- +goose Up
CREATE TABLE assistant_uses (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    subject    uuid NOT NULL, -- the key, or the record
    used       int NOT NULL,
    since      timestamptz NOT NULL,
    PRIMARY KEY (account_id, subject)
);
CREATE INDEX assistant_uses_age ON assistant_uses (account_id, since);

-- +goose Down
DROP TABLE assistant_uses;
