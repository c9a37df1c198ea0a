-- The data that prove the sender of a postback. They are encrypted, and kept until they are checked.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN proof bytea;
