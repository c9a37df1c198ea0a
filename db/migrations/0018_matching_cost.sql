-- The cost of matching a visitor against the conditions that a rule, a campaign or a smartlink itself contains, calculated from the
-- compiled conditions. It is zero for records that were saved before this migration, until they are saved again.
-- +goose Up
ALTER TABLE rules
    ADD COLUMN match_steps int NOT NULL DEFAULT 0,
    ADD COLUMN match_bytes int NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN match_bytes int NOT NULL DEFAULT 0;
ALTER TABLE smartlinks ADD COLUMN match_bytes int NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE rules DROP COLUMN match_steps, DROP COLUMN match_bytes;
ALTER TABLE campaigns DROP COLUMN match_bytes;
ALTER TABLE smartlinks DROP COLUMN match_bytes;
