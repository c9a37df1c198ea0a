-- Three columns: whether hashed personal data (match keys) are sent to the platform of a source, which match keys an upload
-- contained, and whether the encrypted proof of a postback contains personal data, so that the proof is deleted after seven days.
-- +goose Up
ALTER TABLE source_integrations ADD COLUMN send_keys boolean NOT NULL DEFAULT false;
ALTER TABLE conversion_uploads ADD COLUMN keys text[] NOT NULL DEFAULT '{}';
ALTER TABLE postbacks ADD COLUMN has_personal_data boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE postbacks DROP COLUMN has_personal_data;
ALTER TABLE conversion_uploads DROP COLUMN keys;
ALTER TABLE source_integrations DROP COLUMN send_keys;
