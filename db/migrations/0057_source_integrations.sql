-- Connections of traffic sources to the APIs of their platforms: spend comes in, conversions go out.
-- +goose Up
CREATE TABLE source_integrations (
    source_id           uuid PRIMARY KEY REFERENCES traffic_sources (id) ON DELETE CASCADE,
    account_id          uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider            text NOT NULL,
    settings            jsonb NOT NULL DEFAULT '{}',    -- the credentials that are no secrets
    secrets             bytea NOT NULL,                 -- the others, sealed
    secret_names        text[] NOT NULL DEFAULT '{}',   -- which those are
    session             bytea,                          -- what a login by them has given, sealed
    cost_endpoint       jsonb NOT NULL DEFAULT '{}',    -- of the custom endpoint; the values of its headers are secrets
    oauth_connection_id uuid,                           -- the sign-in connection
    campaign_param      text NOT NULL DEFAULT '',       -- parameter of links with the platform's campaign id; empty: as the source says
    is_enabled          boolean NOT NULL DEFAULT true,  -- spend is read by itself
    conversion_action   text NOT NULL DEFAULT '',
    conversion_statuses text[] NOT NULL DEFAULT '{approved}',
    conversions_enabled boolean NOT NULL DEFAULT false, -- conversions are uploaded
    currency            text NOT NULL DEFAULT '',       -- of the account at the platform, as last read
    zone                text NOT NULL DEFAULT '',       -- its time zone, as last read
    saved_at            timestamptz NOT NULL DEFAULT now(),
    checked_at          timestamptz,                    -- when the platform was last asked
    synced_at           timestamptz,                    -- when spend was last read
    failure             text NOT NULL DEFAULT '',       -- why it fails; empty: it does not
    failures            integer NOT NULL DEFAULT 0,     -- in a row
    failing_since       timestamptz,
    next_at             timestamptz NOT NULL,           -- of the next sync by itself
    wide_at             timestamptz NOT NULL            -- from when on that sync covers the longer window
);
CREATE INDEX source_integrations_account ON source_integrations (account_id);
CREATE INDEX source_integrations_connection ON source_integrations (oauth_connection_id);
CREATE INDEX source_integrations_due ON source_integrations (next_at) WHERE is_enabled;

-- +goose Down
DROP TABLE source_integrations;
