-- Accounts' own tracking domains, smartlinks with their clicks, and the used keys of protected landing pages.
-- +goose Up

-- A host is served for only one account, but several accounts may add it and wait for verification. An account that adds a host
-- which it does not own must not prevent the owner from adding it.
ALTER TABLE domains DROP CONSTRAINT domains_host_key;
CREATE UNIQUE INDEX domains_served ON domains (host) WHERE is_verified OR account_id IS NULL;
CREATE UNIQUE INDEX domains_own ON domains (account_id, host);
CREATE UNIQUE INDEX domains_default ON domains (account_id) WHERE is_default;

-- When the domain of a deleted campaign is deleted, the campaign stays without a domain.
ALTER TABLE campaigns ALTER COLUMN domain_id DROP NOT NULL;
ALTER TABLE campaigns ADD CONSTRAINT campaigns_domain CHECK (domain_id IS NOT NULL OR deleted_at IS NOT NULL);

-- A deleted smartlink stays stored, because its clicks show its name. The rules are one document, in the order in which they are
-- tried.
CREATE TABLE smartlinks (
    id              uuid PRIMARY KEY,
    account_id      uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    domain_id       uuid REFERENCES domains (id),
    source_id       uuid REFERENCES traffic_sources (id),
    slug            text NOT NULL,
    name            text NOT NULL DEFAULT '',
    notes           text NOT NULL DEFAULT '',
    destination_url text NOT NULL,
    rules           jsonb NOT NULL DEFAULT '[]',
    is_active       boolean NOT NULL DEFAULT true,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    deleted_at      timestamptz,
    CONSTRAINT smartlinks_domain CHECK (domain_id IS NOT NULL OR deleted_at IS NOT NULL)
);
CREATE UNIQUE INDEX smartlinks_name ON smartlinks (account_id, lower(name)) WHERE deleted_at IS NULL AND name <> '';
CREATE UNIQUE INDEX smartlinks_address ON smartlinks (domain_id, slug) WHERE deleted_at IS NULL;
CREATE INDEX smartlinks_list ON smartlinks (account_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

CREATE TRIGGER notify_routing AFTER INSERT OR UPDATE OR DELETE ON smartlinks FOR EACH ROW EXECUTE FUNCTION notify_routing();

-- Aliases of campaigns and slugs of smartlinks share one address space on each domain. The trigger locks the address that a row
-- gets, and checks whether the other table has the address. The lock lasts until the transaction ends. Within one table, the unique
-- index makes this check. The error is the same as the error of that index, so that a writer has to know only one error.
-- +goose StatementBegin
CREATE FUNCTION take_address() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    word text;
    taken boolean;
BEGIN
    IF NEW.deleted_at IS NOT NULL THEN
        RETURN NEW;
    END IF;
    IF TG_TABLE_NAME = 'campaigns' THEN
        word := NEW.alias;
        IF TG_OP = 'UPDATE' THEN
            IF OLD.alias = NEW.alias AND OLD.domain_id = NEW.domain_id AND OLD.deleted_at IS NULL THEN
                RETURN NEW;
            END IF;
        END IF;
    ELSE
        word := NEW.slug;
        IF TG_OP = 'UPDATE' THEN
            IF OLD.slug = NEW.slug AND OLD.domain_id = NEW.domain_id AND OLD.deleted_at IS NULL THEN
                RETURN NEW;
            END IF;
        END IF;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(NEW.domain_id::text || '/' || word, 7));
    IF TG_TABLE_NAME = 'campaigns' THEN
        SELECT EXISTS (SELECT FROM smartlinks WHERE domain_id = NEW.domain_id AND slug = word AND deleted_at IS NULL)
            INTO taken;
    ELSE
        SELECT EXISTS (SELECT FROM campaigns WHERE domain_id = NEW.domain_id AND alias = word AND deleted_at IS NULL)
            INTO taken;
    END IF;
    IF taken THEN
        RAISE EXCEPTION 'the address is taken'
            USING ERRCODE = 'unique_violation', CONSTRAINT = TG_TABLE_NAME || '_address';
    END IF;
    RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER take_address BEFORE INSERT OR UPDATE ON campaigns  FOR EACH ROW EXECUTE FUNCTION take_address();
CREATE TRIGGER take_address BEFORE INSERT OR UPDATE ON smartlinks FOR EACH ROW EXECUTE FUNCTION take_address();

-- Clicks that came through smartlinks. rule_id is the zero UUID if no rule matched. destination_url is the URL that the rule or
-- the smartlink has, and destination is the URL that the visitor was sent to.
CREATE TABLE smartlink_clicks (
    id              uuid PRIMARY KEY,
    at              timestamptz NOT NULL, -- the time inside the id
    account_id      uuid NOT NULL,
    smartlink_id    uuid NOT NULL,
    rule_id         uuid NOT NULL,
    source_id       uuid NOT NULL,
    visitor_id      uuid NOT NULL,
    domain          text NOT NULL,
    destination_url text NOT NULL,
    destination     text NOT NULL,
    external_id     text NOT NULL,
    subs            text[] NOT NULL,
    params          text NOT NULL,
    ip              inet,
    user_agent      text NOT NULL,
    referrer        text NOT NULL,
    referrer_domain text NOT NULL,
    keyword         text NOT NULL,
    search_engine   text NOT NULL,
    language        text NOT NULL,
    country         text NOT NULL,
    region          text NOT NULL,
    city            text NOT NULL,
    isp             text NOT NULL,
    asn             bigint NOT NULL,
    mobile_operator text NOT NULL,
    connection_type text NOT NULL,
    proxy_kind      text NOT NULL,
    device_type     text NOT NULL,
    device_brand    text NOT NULL,
    device_model    text NOT NULL,
    os              text NOT NULL,
    os_version      text NOT NULL,
    browser         text NOT NULL,
    browser_version text NOT NULL,
    is_bot          boolean NOT NULL,
    bot_score       int NOT NULL,
    bot_signals     bigint NOT NULL,
    bot_reason      text NOT NULL
);
CREATE INDEX smartlink_clicks_window ON smartlink_clicks (account_id, id);
CREATE INDEX smartlink_clicks_link ON smartlink_clicks (smartlink_id, id);

-- Hourly sums of smartlink_clicks, written together with the clicks, so that figures need not count rows.
CREATE TABLE smartlink_hours (
    smartlink_id    uuid NOT NULL,
    hour            timestamptz NOT NULL,
    rule_id         uuid NOT NULL,
    destination_url text NOT NULL,
    account_id      uuid NOT NULL,
    clicks          bigint NOT NULL, -- without bots
    bot_clicks      bigint NOT NULL
);
-- A destination URL may be too long for an index entry, so the index has its hash.
CREATE UNIQUE INDEX smartlink_hours_key ON smartlink_hours (smartlink_id, hour, rule_id, md5(destination_url));

-- The keys and clicks that have opened a landing page whose protection lets each of them in only once.
CREATE TABLE lander_keys (
    key_hash   bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
CREATE INDEX lander_keys_expiry ON lander_keys (expires_at);

-- +goose Down
DROP TABLE lander_keys, smartlink_hours, smartlink_clicks;
DROP TRIGGER take_address ON campaigns;
DROP TABLE smartlinks;
DROP FUNCTION take_address();
ALTER TABLE campaigns DROP CONSTRAINT campaigns_domain;
DROP INDEX domains_default, domains_own, domains_served;
ALTER TABLE domains ADD CONSTRAINT domains_host_key UNIQUE (host);
