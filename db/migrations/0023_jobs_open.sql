-- An index of the open jobs that accounts requested. Only few rows of the table are such jobs. Deliveries and postbacks are not
-- in the index, because accounts do not request them.
-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS jobs_open;
CREATE INDEX CONCURRENTLY jobs_open ON jobs (account_id, kind)
WHERE state IN ('pending', 'running') AND kind NOT IN ('webhook:deliver', 'conversion:record');
