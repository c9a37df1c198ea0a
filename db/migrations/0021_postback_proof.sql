-- What proves the sender of a postback, sealed until it is believed.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN proof bytea;
