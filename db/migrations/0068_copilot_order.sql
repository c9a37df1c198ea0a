-- The order in which an account's suggestions are shown, and the id of the last call that requested a run.
-- +goose Up
ALTER TABLE copilot_suggestions ADD COLUMN place integer NOT NULL DEFAULT 0; -- position in the list, the most important suggestion first
ALTER TABLE copilot_runs ADD COLUMN attempt uuid;                          -- a repeated call has the same attempt and does not count again

-- +goose Down
ALTER TABLE copilot_runs DROP COLUMN attempt;
ALTER TABLE copilot_suggestions DROP COLUMN place;
