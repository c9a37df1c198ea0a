-- conversion_uploads.worth may be NULL: the upload's value in the account's currency is not known yet, because there is no rate.
-- +goose Up
ALTER TABLE conversion_uploads ALTER COLUMN worth DROP NOT NULL;

-- +goose Down
UPDATE conversion_uploads SET worth = 0 WHERE worth IS NULL;
ALTER TABLE conversion_uploads ALTER COLUMN worth SET NOT NULL;
