-- An index for the list of the jobs that accounts requested, newest first.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_listed; -- left by an attempt that gave up
CREATE INDEX CONCURRENTLY jobs_listed ON jobs (account_id, created_at DESC)
WHERE kind NOT IN ('webhook:deliver', 'conversion:record', 'postback:send', 'alert:send');
