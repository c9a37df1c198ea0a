-- The platform that an upload is for. If a traffic source changes its platform, the new platform does not know earlier uploads.
-- +goose Up
ALTER TABLE conversion_uploads ADD COLUMN provider text NOT NULL DEFAULT ''; -- empty: the upload is older than this column; it counts for the present platform

-- +goose Down
ALTER TABLE conversion_uploads DROP COLUMN provider;
