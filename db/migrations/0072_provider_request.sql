-- The provider's id of the request that made a run fail. Operators quote this id when they contact the provider.
-- +goose Up
ALTER TABLE integration_runs ADD COLUMN provider_request text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE integration_runs DROP COLUMN provider_request;
