-- Who made a link, so that it ends with the membership or role of its maker, and how often a wrong password or code was given
-- with it, so that it ends before somebody guesses right.
-- +goose Up
ALTER TABLE entry_links
    ADD COLUMN made_by uuid, -- the member; NULL: an operator
    ADD COLUMN wrong integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE entry_links DROP COLUMN made_by, DROP COLUMN wrong;
