-- What the last run of the Copilot looked at, as models/copilot.Scope. null: the last run was by an earlier version, or there was
-- no run.
-- +goose Up
ALTER TABLE copilot_runs ADD COLUMN scope jsonb NOT NULL DEFAULT 'null';

-- +goose Down
ALTER TABLE copilot_runs DROP COLUMN scope;
