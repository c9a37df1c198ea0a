-- The data that the last run of the Copilot judged, in the form of models/copilot.Scope. null: there was no run yet, or the last
-- run was made by an earlier version of the program.
-- +goose Up
ALTER TABLE copilot_runs ADD COLUMN scope jsonb NOT NULL DEFAULT 'null';

-- +goose Down
ALTER TABLE copilot_runs DROP COLUMN scope;
