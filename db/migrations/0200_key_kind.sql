-- A connected assistant acts with a key of its own, whose clear text is never stored. The changes that it makes are therefore
-- counted and recorded like the changes of any other key.
-- +goose Up
ALTER TABLE api_keys ADD COLUMN kind text NOT NULL DEFAULT 'key'; -- key, or assistant: see assistant_grants

-- +goose Down
DELETE FROM api_keys WHERE kind = 'assistant';
ALTER TABLE api_keys DROP COLUMN kind;
