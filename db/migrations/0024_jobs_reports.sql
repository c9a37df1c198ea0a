-- The answers of large reports: the oldest of an account are deleted when a new one comes.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_reports;
CREATE INDEX CONCURRENTLY jobs_reports ON jobs (account_id, kind, finished_at)
WHERE state IN ('done', 'failed') AND kind LIKE 'report:%';
