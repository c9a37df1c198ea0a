-- The index is small, because only few postbacks wait for their click.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS postbacks_match; -- left by an attempt that gave up
CREATE INDEX CONCURRENTLY postbacks_match ON postbacks (match_at) WHERE match_at IS NOT NULL;
