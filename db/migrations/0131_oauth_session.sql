-- The session of the dashboard that began a sign-in at an ad platform. Only this session can finish it.
-- +goose Up
ALTER TABLE oauth_attempts ADD COLUMN session_id uuid; -- NULL: a key or the command line began the sign-in

-- +goose Down
ALTER TABLE oauth_attempts DROP COLUMN session_id;
