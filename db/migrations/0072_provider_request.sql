-- What the provider calls the request for which a run failed: for operators, who ask the provider by it.
-- +goose Up
ALTER TABLE integration_runs ADD COLUMN provider_request text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE integration_runs DROP COLUMN provider_request;
