-- A configuration plan that is applied can change where links of another tracker lead. former_links has the earlier destinations of
-- these links, so that an undo can restore them.
-- +goose Up
ALTER TABLE config_items ADD COLUMN former_links jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE config_items DROP COLUMN former_links;
