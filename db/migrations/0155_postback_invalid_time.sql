-- The time that a postback stated, if it does not count: it cannot be read, is before the click or is in the future.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN invalid_time text NOT NULL DEFAULT '';
