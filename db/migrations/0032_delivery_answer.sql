-- The first 2 kB of the body of the endpoint's answer to the last attempt.
-- +goose Up
ALTER TABLE webhook_deliveries ADD COLUMN answer text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE webhook_deliveries DROP COLUMN answer;
