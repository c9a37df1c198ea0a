-- A person's language. Empty means the language of the browser. letter_keys says whether single letters work as shortcut keys of a
-- screen.
-- +goose Up
ALTER TABLE users ALTER COLUMN language SET DEFAULT '', ADD COLUMN letter_keys boolean NOT NULL DEFAULT true;
UPDATE users SET language = '' WHERE language = 'en';

-- +goose Down
UPDATE users SET language = 'en' WHERE language = '';
ALTER TABLE users ALTER COLUMN language SET DEFAULT 'en', DROP COLUMN letter_keys;
