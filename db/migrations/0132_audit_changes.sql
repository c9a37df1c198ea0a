-- What a change made of the fields that were sent: their values before and after.
-- +goose Up
ALTER TABLE audit ADD COLUMN changes jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE audit DROP COLUMN changes;
