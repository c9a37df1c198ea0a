-- Links of other trackers that lead to campaigns, so that running ads keep working after their domain was moved to this install.
-- +goose Up
CREATE TABLE foreign_links (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    domain_id   uuid REFERENCES domains (id) ON DELETE CASCADE, -- null: every verified domain of the account
    form        text NOT NULL CHECK (form IN ('path', 'query', 'php', 'go', 'cf')),
    foreign_id  text NOT NULL,
    campaign_id uuid NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE NULLS NOT DISTINCT (account_id, domain_id, form, foreign_id)
);
CREATE INDEX foreign_links_campaign ON foreign_links (campaign_id);
CREATE INDEX foreign_links_domain ON foreign_links (domain_id);
CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON foreign_links FOR EACH ROW EXECUTE FUNCTION notify_routing();

-- +goose Down
DROP TABLE foreign_links;
