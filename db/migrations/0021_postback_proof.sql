-- The encrypted data that prove the sender of a postback.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN proof bytea;
