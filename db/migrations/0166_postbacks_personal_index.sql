-- An index of the postbacks with personal data, oldest first.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS postbacks_personal;
CREATE INDEX CONCURRENTLY postbacks_personal ON postbacks (received_at) WHERE has_personal_data;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS postbacks_personal;
