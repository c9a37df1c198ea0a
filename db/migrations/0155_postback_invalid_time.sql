-- The time that a postback stated and that does not count: it is not understood, before the click or in the future.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN invalid_time text NOT NULL DEFAULT '';
