-- The fields that the audited action changed, with their values before and after it.
-- +goose Up
ALTER TABLE audit ADD COLUMN changes jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE audit DROP COLUMN changes;
