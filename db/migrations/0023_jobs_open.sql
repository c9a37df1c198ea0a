-- An index of the open jobs of accounts. The jobs that deliver webhooks and record conversions are not in it, because accounts do not
-- request them. Only few rows of the table are in the index.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_open;
CREATE INDEX CONCURRENTLY jobs_open ON jobs (account_id, kind)
WHERE state IN ('pending', 'running') AND kind NOT IN ('webhook:deliver', 'conversion:record');
