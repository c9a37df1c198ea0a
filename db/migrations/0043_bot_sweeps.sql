-- Which accounts have clicks that were not looked at, and up to which click that is known: one row, none before the first.
-- +goose Up
ALTER TABLE bot_scans ADD COLUMN behind boolean NOT NULL DEFAULT true;

CREATE TABLE bot_sweeps (
    swept_to uuid NOT NULL
);

-- +goose Down
DROP TABLE bot_sweeps;
ALTER TABLE bot_scans DROP COLUMN behind;
