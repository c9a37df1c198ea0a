-- An account's own geo database, its answers about addresses, and a column that marks the clicks whose place comes from this
-- database.
-- +goose Up
CREATE TABLE geo_databases (
    account_id    uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    provider      text NOT NULL,
    key           bytea NOT NULL, -- encrypted
    enabled       boolean NOT NULL,
    saved_at      timestamptz NOT NULL DEFAULT now(),
    looked_after  uuid NOT NULL,                      -- clicks up to this id were looked up, or never will be
    leased_until  timestamptz,                        -- until then, one worker looks up the later clicks
    failing_since timestamptz,                        -- NULL: the last look-up succeeded
    failure       text NOT NULL DEFAULT ''
);
CREATE INDEX geo_databases_enabled ON geo_databases (account_id) WHERE enabled;

CREATE TABLE geo_answers (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider   text NOT NULL,
    prefix     cidr NOT NULL,
    place      jsonb NOT NULL,
    asked_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, provider, prefix)
);
CREATE INDEX geo_answers_asked ON geo_answers (asked_at);

ALTER TABLE clicks ADD COLUMN geo_source text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE clicks DROP COLUMN geo_source;
DROP TABLE geo_answers, geo_databases;
