-- In which order an account's suggestions are shown, and which call asked last for its figures to be judged.
-- +goose Up
ALTER TABLE copilot_suggestions ADD COLUMN place integer NOT NULL DEFAULT 0; -- the most important one first
ALTER TABLE copilot_runs ADD COLUMN attempt uuid;                          -- repeated, it is no further call

-- +goose Down
ALTER TABLE copilot_runs DROP COLUMN attempt;
ALTER TABLE copilot_suggestions DROP COLUMN place;
