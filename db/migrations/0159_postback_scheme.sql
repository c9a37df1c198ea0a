-- The name of the scheme by which the notifications of a network are signed and read. Empty: the network sends postbacks with
-- parameters.
-- +goose Up
ALTER TABLE networks ADD COLUMN postback_scheme text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE networks DROP COLUMN postback_scheme;
