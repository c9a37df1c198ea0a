-- The open jobs that accounts asked for: few rows of many. Deliveries and postbacks come by themselves, so they are not in
-- it.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_open;
CREATE INDEX CONCURRENTLY jobs_open ON jobs (account_id, kind)
WHERE state IN ('pending', 'running') AND kind NOT IN ('webhook:deliver', 'conversion:record');
