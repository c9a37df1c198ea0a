-- The macro that a traffic source replaces in a tracking link by its own click id.
-- +goose Up
ALTER TABLE traffic_sources ADD COLUMN external_id_macro text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE traffic_sources DROP COLUMN external_id_macro;
