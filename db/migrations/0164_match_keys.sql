-- The hashed personal data of the people who converted, encrypted. A row is kept for at most seven days, and no backup contains
-- this table. The id is the id of the postback or of the event with which the data were received.
-- +goose Up
CREATE TABLE conversion_match_keys (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
    click_id    uuid NOT NULL,
    names       text[] NOT NULL, -- names of the keys: email, phone and so on
    sealed      bytea NOT NULL,
    received_at timestamptz NOT NULL
);
CREATE INDEX conversion_match_keys_click ON conversion_match_keys (click_id);
CREATE INDEX conversion_match_keys_received ON conversion_match_keys (received_at);
CREATE INDEX conversion_match_keys_account ON conversion_match_keys (account_id);

-- +goose Down
DROP TABLE conversion_match_keys;
