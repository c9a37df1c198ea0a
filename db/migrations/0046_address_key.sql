-- A value that tells the addresses of one day apart if clicks do not store the whole address.
-- +goose Up
ALTER TABLE clicks ADD COLUMN address_key bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE clicks DROP COLUMN address_key;
