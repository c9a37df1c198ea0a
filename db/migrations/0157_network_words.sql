-- network_words has the words that networks sent as a status and that were not mapped to one of our statuses at that time. They are
-- stored so that the account can map them. networks.answer_text is the text with which postbacks of a network are answered.
-- +goose Up
CREATE TABLE network_words (
    network_id uuid NOT NULL REFERENCES networks (id) ON DELETE CASCADE,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    word       text NOT NULL,
    count      bigint NOT NULL,
    last_at    timestamptz NOT NULL,
    PRIMARY KEY (network_id, word)
);
CREATE INDEX network_words_account ON network_words (account_id);
ALTER TABLE networks ADD COLUMN answer_text text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE networks DROP COLUMN answer_text;
DROP TABLE network_words;
