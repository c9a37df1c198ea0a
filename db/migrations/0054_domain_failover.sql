-- Campaigns that were moved away from a domain because the domain is on a list of unsafe addresses.
-- +goose Up
ALTER TABLE domains ADD COLUMN failover boolean NOT NULL DEFAULT false; -- the domain's campaigns may move to a spare domain

-- If a person has since moved the campaign, the campaign is no longer on to_domain, and the row has no meaning any more.
CREATE TABLE domain_failovers (
    campaign_id uuid PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    from_domain uuid NOT NULL REFERENCES domains (id) ON DELETE CASCADE,  -- the campaign's domain before the first move
    to_domain   uuid NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
    moved_at    timestamptz NOT NULL
);
CREATE INDEX domain_failovers_account ON domain_failovers (account_id);
CREATE INDEX domain_failovers_from ON domain_failovers (from_domain);
CREATE INDEX domain_failovers_to ON domain_failovers (to_domain);

-- +goose Down
DROP TABLE domain_failovers;
ALTER TABLE domains DROP COLUMN failover;
