-- The payout that a postback said and that is no amount: a word, or a macro that nobody filled in.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN invalid_payout text NOT NULL DEFAULT '';
