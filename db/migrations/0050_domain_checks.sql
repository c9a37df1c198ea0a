-- What is known of where a domain points, apart from the domains, whose changes routing is told of.
-- +goose Up
CREATE TABLE domain_checks (
    domain_id   uuid PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    due_at      timestamptz,                    -- NULL: only when somebody asks
    checked_at  timestamptz,                    -- NULL: never
    points      boolean,                        -- DNS leads here; NULL: nobody could say
    https       boolean,                        -- HTTPS answers with a valid certificate; NULL: could not be asked
    records     jsonb NOT NULL DEFAULT '[]',    -- what DNS answered
    detail      text NOT NULL DEFAULT '',
    wrong_since timestamptz,                    -- of the first check in a row that found it elsewhere
    by_operator boolean NOT NULL DEFAULT false  -- an operator said whether it is verified: no check says otherwise
);
CREATE INDEX domain_checks_due ON domain_checks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX domain_checks_account ON domain_checks (account_id);

INSERT INTO domain_checks (domain_id, account_id, due_at, by_operator)
SELECT id, account_id, now() + random() * interval '1 hour', is_verified FROM domains WHERE account_id IS NOT NULL;

-- +goose Down
DROP TABLE domain_checks;
