-- The time of a postback, as received, if it is not used. It is not used if it cannot be read, if it is before the click, or if
-- it is in the future.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN invalid_time text NOT NULL DEFAULT '';
