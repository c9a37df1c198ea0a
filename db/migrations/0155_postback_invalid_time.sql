-- The time that a postback stated, if this time is not used because it cannot be read, is before the click or is in the future.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN invalid_time text NOT NULL DEFAULT '';
