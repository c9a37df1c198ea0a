-- The macro in a tracking link that the traffic source replaces with its own click id.
-- +goose Up
ALTER TABLE traffic_sources ADD COLUMN external_id_macro text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE traffic_sources DROP COLUMN external_id_macro;
