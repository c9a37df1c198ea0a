-- What postbacks and corrections have stated about a conversion, in the order of arrival. The statements count in this order,
-- even if a later one is recorded first. A conversion that was recorded before this migration has no statements. Its
-- list begins with the first statement that arrives after the migration.
-- +goose Up
ALTER TABLE conversions ADD COLUMN statements jsonb NOT NULL DEFAULT '[]';
