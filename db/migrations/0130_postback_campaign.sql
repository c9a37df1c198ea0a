-- The campaign of the click that a postback names. The column is needed because clicks of old days may be only in ClickHouse.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN campaign_id uuid; -- NULL: the campaign was known neither when the postback was stored nor when it was decided

-- +goose Down
ALTER TABLE postbacks DROP COLUMN campaign_id;
