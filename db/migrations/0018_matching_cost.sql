-- The cost of matching a visitor against the conditions of a rule, a campaign or a smartlink: see package cond. The cost of saved
-- rules that a campaign or smartlink uses is not included. Records that were saved before this migration have the cost zero until
-- they are saved again.
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
