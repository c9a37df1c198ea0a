-- The goal secret before the last rotation, kept as the present one is. Servers that use it are believed until then.
-- +goose Up
ALTER TABLE accounts
    ADD COLUMN old_goal_secret_hash  bytea,
    ADD COLUMN old_goal_secret       bytea,
    ADD COLUMN old_goal_secret_until timestamptz;

-- +goose Down
ALTER TABLE accounts DROP COLUMN old_goal_secret_until, DROP COLUMN old_goal_secret, DROP COLUMN old_goal_secret_hash;
