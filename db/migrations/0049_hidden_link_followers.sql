-- The visitors who followed the hidden link of a click. The click counts as a bot's only if its own visitor is among them.
-- +goose Up
ALTER TABLE bot_rechecks ADD COLUMN followers uuid[] NOT NULL DEFAULT '{}'; -- hashes of address and user agent

-- +goose Down
ALTER TABLE bot_rechecks DROP COLUMN followers;
