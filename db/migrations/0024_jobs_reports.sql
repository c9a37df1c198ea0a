-- An index of the ended jobs of large reports. When such a job ends, the account's oldest jobs of the same kind are deleted, so
-- that only a fixed number stays.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_reports;
CREATE INDEX CONCURRENTLY jobs_reports ON jobs (account_id, kind, finished_at)
WHERE state IN ('done', 'failed') AND kind LIKE 'report:%';
