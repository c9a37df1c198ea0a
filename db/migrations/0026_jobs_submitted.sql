-- Replaces jobs_open with an index that also leaves out jobs of the kind conversion:match, because accounts do not request these
-- jobs. The queries of the previous version do not use the new index. They use jobs_due until the processes of that version are
-- replaced.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_submitted; -- left by an attempt that gave up
CREATE INDEX CONCURRENTLY jobs_submitted ON jobs (account_id, kind)
WHERE state IN ('pending', 'running') AND kind NOT IN ('webhook:deliver', 'conversion:record', 'conversion:match');
DROP INDEX CONCURRENTLY IF EXISTS jobs_open;
