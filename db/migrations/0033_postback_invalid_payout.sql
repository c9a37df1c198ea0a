-- The payout that a postback stated if it is not an amount: a word, or a macro that was not replaced.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN invalid_payout text NOT NULL DEFAULT '';
