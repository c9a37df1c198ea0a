-- The goal secret from before the last rotation, stored in the same way as the present secret. It is valid until
-- old_goal_secret_until.
-- +goose Up
ALTER TABLE accounts
    ADD COLUMN old_goal_secret_hash  bytea,
    ADD COLUMN old_goal_secret       bytea,
    ADD COLUMN old_goal_secret_until timestamptz;

-- +goose Down
ALTER TABLE accounts DROP COLUMN old_goal_secret_until, DROP COLUMN old_goal_secret, DROP COLUMN old_goal_secret_hash;
