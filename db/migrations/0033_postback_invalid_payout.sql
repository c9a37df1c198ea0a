-- invalid_payout holds a payout that is not an amount, such as a word or a macro that was not replaced. Otherwise it is empty.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN invalid_payout text NOT NULL DEFAULT '';
