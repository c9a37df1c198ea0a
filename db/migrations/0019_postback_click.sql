-- The click that a postback names, so that the postback is deleted together with the click. Older rows have no click and are
-- deleted by age.
-- +goose Up
ALTER TABLE postbacks
    ADD COLUMN click_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    ALTER COLUMN signature SET DEFAULT '',
    ALTER COLUMN signed_text SET DEFAULT '';

-- +goose Down
ALTER TABLE postbacks DROP COLUMN click_id;
