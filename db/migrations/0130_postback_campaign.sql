-- The campaign of the click that a postback names: clicks of old days may be in ClickHouse alone.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN campaign_id uuid; -- NULL: not known when it was stored and decided

-- +goose Down
ALTER TABLE postbacks DROP COLUMN campaign_id;
