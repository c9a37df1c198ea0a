-- The stated time of a conversion that does not count. Its recorded_at is then not the sender's.
-- +goose Up
ALTER TABLE conversions ADD COLUMN invalid_time text NOT NULL DEFAULT '';
