-- When a key was last used.
-- +goose Up
ALTER TABLE api_keys ADD COLUMN used_at timestamptz; -- NULL: never, as far as is known

-- +goose Down
ALTER TABLE api_keys DROP COLUMN used_at;
