-- The destinations of another tracker's links before the record of a plan was written, so that an undo restores them.
-- +goose Up
ALTER TABLE config_items ADD COLUMN former_links jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE config_items DROP COLUMN former_links;
