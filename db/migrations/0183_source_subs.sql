-- The sub-parameter that each parameter of a traffic source fills: see package subslot. If the list is empty, the parameters fill
-- the sub-parameters in the order of token_macros.
-- +goose Up
ALTER TABLE traffic_sources ADD COLUMN subs json NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE traffic_sources DROP COLUMN subs;
