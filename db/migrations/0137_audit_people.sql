-- The audit log stores the e-mail address of a person, because people choose their names themselves. It also counts wrong
-- passwords and codes.
-- +goose Up
ALTER TABLE audit
    ADD COLUMN email text NOT NULL DEFAULT '',     -- empty: a key, or an older entry
    ADD COLUMN refused integer NOT NULL DEFAULT 0; -- wrong passwords and codes for the person in an hour; 0: the entry is about a change

-- +goose Down
ALTER TABLE audit DROP COLUMN email, DROP COLUMN refused;
