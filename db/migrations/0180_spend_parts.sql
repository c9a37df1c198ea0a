-- +goose NO TRANSACTION
-- The spend of a day may have several parts. CREATE INDEX CONCURRENTLY needs a file without a transaction. Above Down, such a
-- file may hold only statements about indexes and DO blocks that commit (README.md), so a DO block with its own COMMIT changes the key.
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS spend_parts; -- left by an attempt that gave up
CREATE UNIQUE INDEX CONCURRENTLY spend_parts ON spend (account_id, day, source_id, campaign_id, starts, ends, sub, sub_value);
DROP INDEX CONCURRENTLY IF EXISTS spend_change;
CREATE INDEX CONCURRENTLY spend_change ON spend (change_id) WHERE change_id IS NOT NULL;
-- +goose StatementBegin
DO $$ BEGIN
    ALTER TABLE spend DROP CONSTRAINT IF EXISTS spend_pkey, ADD CONSTRAINT spend_pkey PRIMARY KEY USING INDEX spend_parts;
    COMMIT;
END $$;
-- +goose StatementEnd

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS spend_change;
DELETE FROM spend WHERE starts <> 0 OR ends <> 86400 OR sub <> 0;
ALTER TABLE spend DROP CONSTRAINT spend_pkey, ADD PRIMARY KEY (account_id, day, source_id, campaign_id);
