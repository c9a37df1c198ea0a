-- Which platform an upload is for: of one that a traffic source had before, the next one has heard nothing.
-- +goose Up
ALTER TABLE conversion_uploads ADD COLUMN provider text NOT NULL DEFAULT ''; -- empty: of before it was noted, and counts as the one there is

-- +goose Down
ALTER TABLE conversion_uploads DROP COLUMN provider;
