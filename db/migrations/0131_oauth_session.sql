-- A sign-in at an ad platform that a session of the dashboard began. The same session ends it.
-- +goose Up
ALTER TABLE oauth_attempts ADD COLUMN session_id uuid; -- NULL: a key or the command line began it

-- +goose Down
ALTER TABLE oauth_attempts DROP COLUMN session_id;
