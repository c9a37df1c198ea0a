-- The accounts that have clicks which were not scanned yet, and the click up to which this is known. bot_sweeps has one row, and
-- no row before the first sweep.
-- +goose Up
ALTER TABLE bot_scans ADD COLUMN behind boolean NOT NULL DEFAULT true;

CREATE TABLE bot_sweeps (
    swept_to uuid NOT NULL
);

-- +goose Down
DROP TABLE bot_sweeps;
ALTER TABLE bot_scans DROP COLUMN behind;
