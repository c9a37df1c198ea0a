-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS postbacks_click; -- what an attempt that gave up has left
CREATE INDEX CONCURRENTLY postbacks_click ON postbacks (click_id);
