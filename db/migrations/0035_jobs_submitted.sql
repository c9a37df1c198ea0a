-- jobs_asked without the postbacks to traffic sources, which come by themselves as well. The queries of the version before
-- do not use it: they read jobs_due until their programs are gone.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_submitted; -- what an attempt that gave up has left
CREATE INDEX CONCURRENTLY jobs_submitted ON jobs (account_id, kind)
WHERE state IN ('pending', 'running') AND kind NOT IN ('webhook:deliver', 'conversion:record', 'postback:send');
DROP INDEX CONCURRENTLY IF EXISTS jobs_asked;
