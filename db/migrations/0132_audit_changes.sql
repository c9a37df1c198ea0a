-- The values that the fields in the body had before and after a change.
-- +goose Up
ALTER TABLE audit ADD COLUMN changes jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE audit DROP COLUMN changes;
