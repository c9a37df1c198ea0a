-- The records that an account sets up: domains, sources, networks, offers, landers and campaigns with their flows.
-- +goose Up

-- A domain without an account is one of the shared link domains of the install (SHARED_DOMAINS).
CREATE TABLE domains (
    id          uuid PRIMARY KEY,
    account_id  uuid REFERENCES accounts (id) ON DELETE CASCADE,
    host        text NOT NULL UNIQUE,
    is_verified boolean NOT NULL DEFAULT false,
    is_default  boolean NOT NULL DEFAULT false,
    group_name  text NOT NULL DEFAULT '',
    crawlers    text NOT NULL DEFAULT 'disallow',
    https_only  boolean NOT NULL DEFAULT true,
    index_page  text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX domains_account ON domains (account_id, created_at DESC, id DESC);

CREATE TABLE traffic_sources (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name              text NOT NULL,
    token_macros      json NOT NULL DEFAULT '{}', -- json, not jsonb: the order says which sub-parameter each parameter fills
    cost_param        text NOT NULL DEFAULT '',
    cost_model        text NOT NULL DEFAULT 'cpc',
    postback_url      text NOT NULL DEFAULT '',
    external_id_param text NOT NULL DEFAULT '',
    notes             text NOT NULL DEFAULT '',
    traffic_loss_pct  numeric(5, 2) NOT NULL DEFAULT 0,
    group_name        text NOT NULL DEFAULT '',
    tags              text[] NOT NULL DEFAULT '{}',
    cost_macro        text NOT NULL DEFAULT '',
    platform          text NOT NULL DEFAULT '',
    is_active         boolean NOT NULL DEFAULT true,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    deactivated_at    timestamptz
);
CREATE UNIQUE INDEX traffic_sources_name ON traffic_sources (account_id, lower(name)) WHERE deactivated_at IS NULL;
CREATE INDEX traffic_sources_list ON traffic_sources (account_id, created_at DESC, id DESC);

CREATE TABLE networks (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name              text NOT NULL,
    currency          text NOT NULL DEFAULT 'USD',
    postback_params   jsonb NOT NULL DEFAULT '{}',
    status_map        jsonb NOT NULL DEFAULT '{}',
    postback_secret   bytea, -- encrypted
    url               text NOT NULL DEFAULT '',
    offer_type        text NOT NULL DEFAULT '',
    group_name        text NOT NULL DEFAULT '',
    notes             text NOT NULL DEFAULT '',
    manager_name      text NOT NULL DEFAULT '',
    manager_email     text NOT NULL DEFAULT '',
    manager_phone     text NOT NULL DEFAULT '',
    manager_im        text NOT NULL DEFAULT '',
    payment_terms     text NOT NULL DEFAULT '',
    payment_frequency text NOT NULL DEFAULT '',
    tags              text[] NOT NULL DEFAULT '{}',
    minimum_payout    numeric(20, 6),
    macros            jsonb NOT NULL DEFAULT '{}',
    click_param       text NOT NULL DEFAULT '',
    is_active         boolean NOT NULL DEFAULT true,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    deactivated_at    timestamptz
);
CREATE UNIQUE INDEX networks_name ON networks (account_id, lower(name)) WHERE deactivated_at IS NULL;
CREATE INDEX networks_list ON networks (account_id, created_at DESC, id DESC);

CREATE TABLE offers (
    id                uuid PRIMARY KEY,
    account_id        uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name              text NOT NULL,
    url               text NOT NULL,
    network_id        uuid REFERENCES networks (id),
    payout            numeric(20, 6) NOT NULL DEFAULT 0,
    payout_type       text NOT NULL DEFAULT 'fixed',
    currency          text NOT NULL DEFAULT 'USD',
    country           text NOT NULL DEFAULT '',
    daily_cap         int,
    notes             text NOT NULL DEFAULT '',
    group_name        text NOT NULL DEFAULT '',
    payout_from_param boolean NOT NULL DEFAULT true,
    tags              text[] NOT NULL DEFAULT '{}',
    is_active         boolean NOT NULL DEFAULT true,
    created_at        timestamptz NOT NULL DEFAULT now(),
    updated_at        timestamptz NOT NULL DEFAULT now(),
    deactivated_at    timestamptz
);
CREATE UNIQUE INDEX offers_name ON offers (account_id, lower(name)) WHERE deactivated_at IS NULL;
CREATE INDEX offers_list ON offers (account_id, created_at DESC, id DESC);

CREATE TABLE landers (
    id             uuid PRIMARY KEY,
    account_id     uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name           text NOT NULL,
    url            text NOT NULL,
    click_slots    int  NOT NULL DEFAULT 1,
    group_name     text NOT NULL DEFAULT '',
    country        text NOT NULL DEFAULT '',
    tags           text[] NOT NULL DEFAULT '{}',
    notes          text NOT NULL DEFAULT '',
    protection     jsonb NOT NULL DEFAULT '{}',
    is_active      boolean NOT NULL DEFAULT true,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    deactivated_at timestamptz
);
CREATE UNIQUE INDEX landers_name ON landers (account_id, lower(name)) WHERE deactivated_at IS NULL;
CREATE INDEX landers_list ON landers (account_id, created_at DESC, id DESC);

-- The flow of a campaign is one document: it is validated, cloned, replaced and compiled as a whole.
CREATE TABLE campaigns (
    id                   uuid PRIMARY KEY,
    account_id           uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name                 text NOT NULL,
    alias                text NOT NULL,
    domain_id            uuid NOT NULL REFERENCES domains (id),
    source_id            uuid REFERENCES traffic_sources (id),
    status               text NOT NULL DEFAULT 'active',
    mode                 text NOT NULL DEFAULT 'affiliate',
    destination_url      text NOT NULL DEFAULT '',
    primary_goal_key     text NOT NULL DEFAULT '',
    measurement_site_id  uuid,
    tracked_goal_keys    text[] NOT NULL DEFAULT '{}',
    cost_model           text NOT NULL DEFAULT 'auto',
    cost_value           numeric(20, 6) NOT NULL DEFAULT 0,
    currency             text NOT NULL DEFAULT 'USD',
    flow_rotation        text NOT NULL DEFAULT 'position',
    bind_visitors        text NOT NULL DEFAULT 'none',
    uniqueness_method    text NOT NULL DEFAULT 'ip_ua',
    uniqueness_param     text NOT NULL DEFAULT '',
    uniqueness_ttl_hours int  NOT NULL DEFAULT 24,
    traffic_loss_pct     numeric(5, 2) NOT NULL DEFAULT 0,
    group_name           text NOT NULL DEFAULT '',
    country              text NOT NULL DEFAULT '',
    tags                 text[] NOT NULL DEFAULT '{}',
    is_pinned            boolean NOT NULL DEFAULT false,
    notes                text NOT NULL DEFAULT '',
    fallback_url         text NOT NULL DEFAULT '',
    streams              jsonb NOT NULL DEFAULT '[]',
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now(),
    deleted_at           timestamptz
);
CREATE UNIQUE INDEX campaigns_name ON campaigns (account_id, lower(name)) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX campaigns_address ON campaigns (domain_id, alias) WHERE deleted_at IS NULL;
CREATE INDEX campaigns_list ON campaigns (account_id, is_pinned DESC, created_at DESC, id DESC)
    WHERE deleted_at IS NULL;

-- +goose Down
DROP TABLE campaigns, landers, offers, networks, traffic_sources, domains;
