-- Who followed the hidden link of a click: only its own visitor makes the click a bot's.
-- +goose Up
ALTER TABLE bot_rechecks ADD COLUMN followers uuid[] NOT NULL DEFAULT '{}'; -- hashes of address and user agent

-- +goose Down
ALTER TABLE bot_rechecks DROP COLUMN followers;
