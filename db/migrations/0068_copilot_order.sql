-- The order in which an account's suggestions are shown, and the call that last requested a judgement of its figures.
-- +goose Up
ALTER TABLE copilot_suggestions ADD COLUMN place integer NOT NULL DEFAULT 0; -- the most important one first
ALTER TABLE copilot_runs ADD COLUMN attempt uuid;                          -- the same attempt again is not a further call

-- +goose Down
ALTER TABLE copilot_runs DROP COLUMN attempt;
ALTER TABLE copilot_suggestions DROP COLUMN place;
