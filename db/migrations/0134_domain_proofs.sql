-- A hostname belongs to the account that proves that it controls the hostname. For the proof, each account has a token, which it
-- sets in DNS. Domains that were verified before this migration keep their hosts; models/domainproof.go says for how long.
-- +goose Up

-- The token is an unguessable DNS label. It is public: a CNAME of the account shows it.
ALTER TABLE accounts ADD COLUMN domain_token text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '');

-- How the account last proved the host: txt, cname, operator, before (added before this migration), or none. Adding the column
-- with a default does not write the existing rows, so routing need not load them again.
ALTER TABLE domains ADD COLUMN proof text NOT NULL DEFAULT 'before';
ALTER TABLE domains ALTER COLUMN proof SET DEFAULT 'none';

-- The accounts that have or had a domain with a host. The row of a proved host outlives the domain and the account.
CREATE TABLE domain_claims (
    host     text NOT NULL,
    owner_id uuid NOT NULL,
    proven   boolean NOT NULL DEFAULT false, -- the account had proved the host for a domain that has since been deleted
    left_at  timestamptz,                    -- when the domain was deleted; NULL: the domain still exists
    PRIMARY KEY (host, owner_id)
);
CREATE INDEX domain_claims_left ON domain_claims (left_at) WHERE left_at IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION claim_domain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO domain_claims (host, owner_id) VALUES (NEW.host, NEW.account_id)
        ON CONFLICT (host, owner_id) DO UPDATE SET left_at = NULL;
    ELSE
        DELETE FROM domain_claims WHERE host = OLD.host AND owner_id = OLD.account_id AND NOT proven AND OLD.proof = 'none';
        UPDATE domain_claims SET proven = true, left_at = now() WHERE host = OLD.host AND owner_id = OLD.account_id;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER claim_domain AFTER INSERT ON domains FOR EACH ROW WHEN (NEW.account_id IS NOT NULL) EXECUTE FUNCTION claim_domain();
CREATE TRIGGER leave_domain AFTER DELETE ON domains FOR EACH ROW WHEN (OLD.account_id IS NOT NULL) EXECUTE FUNCTION claim_domain();

INSERT INTO domain_claims (host, owner_id) SELECT host, account_id FROM domains WHERE account_id IS NOT NULL;

-- +goose Down
DROP TRIGGER leave_domain ON domains;
DROP TRIGGER claim_domain ON domains;
DROP FUNCTION claim_domain();
DROP TABLE domain_claims;
ALTER TABLE domains DROP COLUMN proof;
ALTER TABLE accounts DROP COLUMN domain_token;
