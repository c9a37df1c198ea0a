-- The provider's name of the request with which a run failed. Operators quote it when they contact the provider.
-- +goose Up
ALTER TABLE integration_runs ADD COLUMN provider_request text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE integration_runs DROP COLUMN provider_request;
