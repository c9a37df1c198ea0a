-- An index for counting the unmatched postbacks of an account. The dashboard shows their number on every screen.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS postbacks_unmatched; -- left by an attempt that gave up
CREATE INDEX CONCURRENTLY postbacks_unmatched ON postbacks (account_id, received_at) WHERE outcome = 'unmatched';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS postbacks_unmatched;
