-- The results of checking where a domain points. They are not in the table domains, because each change of that table is
-- announced to routing.
-- +goose Up
CREATE TABLE domain_checks (
    domain_id   uuid PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    due_at      timestamptz,                    -- NULL: only on request
    checked_at  timestamptz,                    -- NULL: never
    points      boolean,                        -- whether DNS points at this install; NULL: DNS could not be queried
    https       boolean,                        -- whether HTTPS answers with a valid certificate; NULL: could not be checked
    records     jsonb NOT NULL DEFAULT '[]',    -- what DNS answered
    detail      text NOT NULL DEFAULT '',
    wrong_since timestamptz,                    -- since when the domain has pointed elsewhere; NULL: it does not
    by_operator boolean NOT NULL DEFAULT false  -- an operator has decided whether the domain is verified; checks do not change this
);
CREATE INDEX domain_checks_due ON domain_checks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX domain_checks_account ON domain_checks (account_id);

INSERT INTO domain_checks (domain_id, account_id, due_at, by_operator)
SELECT id, account_id, now() + random() * interval '1 hour', is_verified FROM domains WHERE account_id IS NOT NULL;

-- +goose Down
DROP TABLE domain_checks;
