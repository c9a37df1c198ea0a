-- A hash of the whole IPv4 address, or of the first 64 bits of the IPv6 address, for clicks that store only a part of the visitor's
-- address. Within a day, the hash distinguishes visitors whose stored parts are equal. It is 0 if the whole address is stored.
-- +goose Up
ALTER TABLE clicks ADD COLUMN address_key bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE clicks DROP COLUMN address_key;
