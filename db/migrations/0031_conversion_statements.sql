-- What postbacks and corrections stated about a conversion, in the order of arrival. The statements count in this order, whatever
-- the order in which they are recorded. An older conversion has no statements, and later ones arrived after it.
-- +goose Up
ALTER TABLE conversions ADD COLUMN statements jsonb NOT NULL DEFAULT '[]';
