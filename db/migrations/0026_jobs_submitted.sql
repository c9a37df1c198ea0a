-- jobs_open without conversion:match, which comes by itself as well. The queries of the version before do not use it: they
-- read jobs_due until their programs are gone.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_submitted; -- what an attempt that gave up has left
CREATE INDEX CONCURRENTLY jobs_submitted ON jobs (account_id, kind)
WHERE state IN ('pending', 'running') AND kind NOT IN ('webhook:deliver', 'conversion:record', 'conversion:match');
DROP INDEX CONCURRENTLY IF EXISTS jobs_open;
