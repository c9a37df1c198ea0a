-- How far the older orders were read, for networks that cannot list orders by the date of a change.
-- +goose Up
ALTER TABLE network_integrations ADD COLUMN older_from date; -- the next import begins on this day; NULL: with the oldest orders

-- +goose Down
ALTER TABLE network_integrations DROP COLUMN older_from;
