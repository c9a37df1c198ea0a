-- Accounts at DNS providers. Customers connect them, so that this service can set the DNS records of the customers' domains.
-- +goose Up
CREATE TABLE dns_accounts (
    id            uuid PRIMARY KEY,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider      text NOT NULL,
    label         text NOT NULL DEFAULT '',
    settings      jsonb NOT NULL, -- the credentials that are not secret, by field
    secrets       bytea NOT NULL, -- the secret credentials, encrypted
    saved_at      timestamptz NOT NULL DEFAULT now(),
    checked_at    timestamptz,    -- NULL: the provider was never called
    failing_since timestamptz,    -- NULL: the last call succeeded
    failure       text NOT NULL DEFAULT ''
);
CREATE INDEX dns_accounts_account ON dns_accounts (account_id, id);

-- +goose Down
DROP TABLE dns_accounts;
