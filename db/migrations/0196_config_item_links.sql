-- When a plan writes a record, links of another tracker can get other destinations. former_links has their destinations from before
-- that, so that an undo can restore them.
-- +goose Up
ALTER TABLE config_items ADD COLUMN former_links jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE config_items DROP COLUMN former_links;
