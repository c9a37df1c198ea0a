-- For networks that cannot list orders by the date of a change: orders that are too old for the usual imports are imported again,
-- some days at a time.
-- +goose Up
ALTER TABLE network_integrations ADD COLUMN older_from date; -- first day of the next such import; NULL: it begins with the oldest orders

-- +goose Down
ALTER TABLE network_integrations DROP COLUMN older_from;
