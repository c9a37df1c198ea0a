-- What was said about a conversion, in the order of arrival: it counts in this order, in whatever order it is recorded. A
-- conversion of before has none, and what is recorded from now on arrived after it.
-- +goose Up
ALTER TABLE conversions ADD COLUMN statements jsonb NOT NULL DEFAULT '[]';
