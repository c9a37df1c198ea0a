-- The changed fields of the record, with their values before and after the change.
-- +goose Up
ALTER TABLE audit ADD COLUMN changes jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE audit DROP COLUMN changes;
