-- The macro by which a traffic source fills its own click id into a tracking link.
-- +goose Up
ALTER TABLE traffic_sources ADD COLUMN external_id_macro text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE traffic_sources DROP COLUMN external_id_macro;
