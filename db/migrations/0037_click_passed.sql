-- The first path that was chosen for a visitor but could not be used, and the reason.
-- +goose Up
ALTER TABLE clicks
    ADD COLUMN passed_stream_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    ADD COLUMN passed_reason    text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE clicks DROP COLUMN passed_stream_id, DROP COLUMN passed_reason;
