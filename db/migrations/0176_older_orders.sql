-- How far the older orders were read from networks that cannot be asked by the date of a change.
-- +goose Up
ALTER TABLE network_integrations ADD COLUMN older_from date; -- the next import begins on this day; NULL: with the oldest orders

-- +goose Down
ALTER TABLE network_integrations DROP COLUMN older_from;
