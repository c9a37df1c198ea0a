-- A second name under which a domain serves the page tag. Every domain also serves it as t.js.
-- +goose Up
ALTER TABLE domains ADD COLUMN tag_name text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE domains DROP COLUMN tag_name;
