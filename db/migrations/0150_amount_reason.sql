-- The reason why an amount of a postback or of a conversion does not count, or counts in another currency than the sender's
-- parameter says.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN amount_reason text NOT NULL DEFAULT '';
ALTER TABLE conversions ADD COLUMN amount_reason text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE conversions DROP COLUMN amount_reason;
ALTER TABLE postbacks DROP COLUMN amount_reason;
