-- The time that the sender stated for a conversion, if this time is not used. recorded_at then has another time.
-- +goose Up
ALTER TABLE conversions ADD COLUMN invalid_time text NOT NULL DEFAULT '';
