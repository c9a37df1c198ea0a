-- The member who made a link, and the number of wrong passwords and codes that were entered with the link. The link becomes
-- invalid when that member leaves or changes role, or after the tenth wrong password or code.
-- +goose Up
ALTER TABLE entry_links
    ADD COLUMN made_by uuid, -- the member; NULL: an operator
    ADD COLUMN wrong integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE entry_links DROP COLUMN made_by, DROP COLUMN wrong;
