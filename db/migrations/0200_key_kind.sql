-- A connected assistant acts with a key of its own, so its changes are counted and recorded like the changes of any other key. The
-- clear text of this key is never stored.
-- +goose Up
ALTER TABLE api_keys ADD COLUMN kind text NOT NULL DEFAULT 'key'; -- key, or assistant: see assistant_grants

-- +goose Down
DELETE FROM api_keys WHERE kind = 'assistant';
ALTER TABLE api_keys DROP COLUMN kind;
