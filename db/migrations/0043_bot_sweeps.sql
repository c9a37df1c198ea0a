-- Marks the accounts that have clicks which were not scanned yet. A sweep sets the marks. bot_sweeps has the click id up to which
-- the sweeps have looked. It has one row, or no row before the first sweep.
-- +goose Up
ALTER TABLE bot_scans ADD COLUMN behind boolean NOT NULL DEFAULT true;

CREATE TABLE bot_sweeps (
    swept_to uuid NOT NULL
);

-- +goose Down
DROP TABLE bot_sweeps;
ALTER TABLE bot_scans DROP COLUMN behind;
