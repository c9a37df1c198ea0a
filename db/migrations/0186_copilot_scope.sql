-- What the last run of the Copilot looked at, as models/copilot.Scope. null is a run of the version before, or none.
-- +goose Up
ALTER TABLE copilot_runs ADD COLUMN scope jsonb NOT NULL DEFAULT 'null';

-- +goose Down
ALTER TABLE copilot_runs DROP COLUMN scope;
