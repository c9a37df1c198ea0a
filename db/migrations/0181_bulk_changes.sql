-- Changes of many records by one call, with the values before and after the call, so that the call can be undone.
-- +goose Up
CREATE TABLE bulk_changes (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    changed    json NOT NULL,               -- json and not jsonb: values are compared as they were written
    campaigns  uuid[] NOT NULL DEFAULT '{}', -- the campaigns that the call changed
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    undone_at  timestamptz                  -- null: not undone
);
CREATE INDEX bulk_changes_account ON bulk_changes (account_id, created_at);
CREATE INDEX bulk_changes_created ON bulk_changes (created_at);

-- +goose Down
DROP TABLE bulk_changes;
