-- How a click was routed, so that the decision can be explained later: the seed of the random draws, a fingerprint of the flow at
-- that time, and the step of routing that decided. Zero means not recorded.
-- +goose Up
ALTER TABLE clicks
    ADD COLUMN route_seed bigint NOT NULL DEFAULT 0,
    ADD COLUMN flow_hash  bigint NOT NULL DEFAULT 0,
    ADD COLUMN via        int    NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE clicks DROP COLUMN route_seed, DROP COLUMN flow_hash, DROP COLUMN via;
