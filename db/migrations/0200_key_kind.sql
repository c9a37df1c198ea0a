-- A connected assistant acts with its own API key. Its changes are therefore counted and recorded like changes that are made with any
-- other key. The clear text of this key is never stored.
-- +goose Up
ALTER TABLE api_keys ADD COLUMN kind text NOT NULL DEFAULT 'key'; -- key, or assistant: see assistant_grants

-- +goose Down
DELETE FROM api_keys WHERE kind = 'assistant';
ALTER TABLE api_keys DROP COLUMN kind;
