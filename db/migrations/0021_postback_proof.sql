-- What proves the sender of a postback. It is sealed, and kept until the proof is checked.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN proof bytea;
