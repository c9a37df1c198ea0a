-- NULL: what an upload is worth is not known yet, because its currency has no rate.
-- +goose Up
ALTER TABLE conversion_uploads ALTER COLUMN worth DROP NOT NULL;

-- +goose Down
UPDATE conversion_uploads SET worth = 0 WHERE worth IS NULL;
ALTER TABLE conversion_uploads ALTER COLUMN worth SET NOT NULL;
