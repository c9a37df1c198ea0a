-- Connections to the APIs of traffic sources' platforms. Spend is read from them, and conversions are uploaded to them.
-- +goose Up
CREATE TABLE source_integrations (
    source_id           uuid PRIMARY KEY REFERENCES traffic_sources (id) ON DELETE CASCADE,
    account_id          uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    provider            text NOT NULL,
    settings            jsonb NOT NULL DEFAULT '{}',    -- the credentials that are not secret
    secrets             bytea NOT NULL,                 -- the secret credentials, encrypted
    secret_names        text[] NOT NULL DEFAULT '{}',   -- the names of the secret credentials
    session             bytea,                          -- the session of a login with the credentials, encrypted
    cost_endpoint       jsonb NOT NULL DEFAULT '{}',    -- the account's own endpoint for spend; the values of its headers are among the secrets
    oauth_connection_id uuid,                           -- the connection by sign-in, if one is used
    campaign_param      text NOT NULL DEFAULT '',       -- link parameter with the platform's campaign id; empty: the source's own setting
    is_enabled          boolean NOT NULL DEFAULT true,  -- spend is read automatically
    conversion_action   text NOT NULL DEFAULT '',
    conversion_statuses text[] NOT NULL DEFAULT '{approved}',
    conversions_enabled boolean NOT NULL DEFAULT false, -- conversions are uploaded
    currency            text NOT NULL DEFAULT '',       -- currency of the account at the platform, as last read
    zone                text NOT NULL DEFAULT '',       -- time zone of that account, as last read
    saved_at            timestamptz NOT NULL DEFAULT now(),
    checked_at          timestamptz,                    -- when the platform was last called
    synced_at           timestamptz,                    -- when spend was last read
    failure             text NOT NULL DEFAULT '',       -- why the last call failed; empty: it succeeded
    failures            integer NOT NULL DEFAULT 0,     -- number of failures in a row
    failing_since       timestamptz,
    next_at             timestamptz NOT NULL,           -- time of the next automatic sync
    wide_at             timestamptz NOT NULL            -- the first automatic sync after this time covers a longer window
);
CREATE INDEX source_integrations_account ON source_integrations (account_id);
CREATE INDEX source_integrations_connection ON source_integrations (oauth_connection_id);
CREATE INDEX source_integrations_due ON source_integrations (next_at) WHERE is_enabled;

-- +goose Down
DROP TABLE source_integrations;
