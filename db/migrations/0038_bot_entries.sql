-- Allow and deny lists of visitors. An entry has 1 to 10,000 values.
-- +goose Up
CREATE TABLE bot_entries (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    campaign_id uuid, -- null: all campaigns
    list_type   text NOT NULL CHECK (list_type IN ('allow', 'deny')),
    attribute   text NOT NULL,
    operator    text NOT NULL,
    value       jsonb NOT NULL, -- a list of texts
    value_count int NOT NULL,
    note        text NOT NULL DEFAULT '',
    match_steps int NOT NULL,
    match_bytes int NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX bot_entries_list ON bot_entries (account_id, created_at DESC, id DESC);
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON bot_entries FOR EACH ROW EXECUTE FUNCTION notify_routing();

-- For each deny entry and hour, the number of campaign clicks that count as bots because of the entry.
CREATE TABLE bot_entry_hours (
    account_id uuid NOT NULL,
    entry_id   uuid NOT NULL,
    hour       timestamptz NOT NULL,
    clicks     bigint NOT NULL,
    PRIMARY KEY (account_id, entry_id, hour)
);

-- The entry that decided whether a click is a bot. Zero: the signals of the click decided.
ALTER TABLE clicks           ADD COLUMN bot_entry_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
ALTER TABLE smartlink_clicks ADD COLUMN bot_entry_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

-- +goose Down
ALTER TABLE smartlink_clicks DROP COLUMN bot_entry_id;
ALTER TABLE clicks           DROP COLUMN bot_entry_id;
DROP TABLE bot_entry_hours, bot_entries;
