-- The destinations that the links of another tracker had before a record of a plan was written. An undo restores them.
-- +goose Up
ALTER TABLE config_items ADD COLUMN former_links jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE config_items DROP COLUMN former_links;
