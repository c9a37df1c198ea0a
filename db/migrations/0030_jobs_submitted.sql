-- Replaces jobs_submitted with an index that does not mention conversion:match, a kind that no longer exists. The queries of the
-- previous version use the index jobs_due until the processes of that version are replaced.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_asked; -- left by an attempt that gave up
CREATE INDEX CONCURRENTLY jobs_asked ON jobs (account_id, kind)
WHERE state IN ('pending', 'running') AND kind NOT IN ('webhook:deliver', 'conversion:record');
DROP INDEX CONCURRENTLY IF EXISTS jobs_submitted;
