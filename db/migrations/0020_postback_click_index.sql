-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS postbacks_click; -- left by an attempt that gave up
CREATE INDEX CONCURRENTLY postbacks_click ON postbacks (click_id);
