-- The platform that an upload is for. If a traffic source changes its platform, the new platform does not know earlier uploads.
-- +goose Up
ALTER TABLE conversion_uploads ADD COLUMN provider text NOT NULL DEFAULT ''; -- empty: an older row, which counts as the present platform's

-- +goose Down
ALTER TABLE conversion_uploads DROP COLUMN provider;
