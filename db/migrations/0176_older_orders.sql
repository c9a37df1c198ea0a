-- For networks that cannot list orders by the date of a change: the day from which older orders still have to be read again.
-- +goose Up
ALTER TABLE network_integrations ADD COLUMN older_from date; -- first day of the next import of older orders; NULL: the import begins with the oldest orders

-- +goose Down
ALTER TABLE network_integrations DROP COLUMN older_from;
