-- Where the links of another tracker led before a plan's record was written, so that an undo restores this.
-- +goose Up
ALTER TABLE config_items ADD COLUMN former_links jsonb NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE config_items DROP COLUMN former_links;
