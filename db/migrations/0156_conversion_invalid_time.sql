-- The time that was stated for a conversion, if it does not count. recorded_at is then not the sender's time.
-- +goose Up
ALTER TABLE conversions ADD COLUMN invalid_time text NOT NULL DEFAULT '';
