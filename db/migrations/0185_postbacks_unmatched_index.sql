-- Counts the unmatched postbacks of an account, which the dashboard shows on every screen.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS postbacks_unmatched; -- what an attempt that gave up has left
CREATE INDEX CONCURRENTLY postbacks_unmatched ON postbacks (account_id, received_at) WHERE outcome = 'unmatched';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS postbacks_unmatched;
