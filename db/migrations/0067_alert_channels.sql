-- The announcement of alerts in channels.
-- +goose Up
CREATE TABLE alert_channels (
    id             uuid PRIMARY KEY,
    account_id     uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind           text NOT NULL,
    name           text NOT NULL DEFAULT '',
    least          text NOT NULL DEFAULT 'warning' CHECK (least IN ('warning', 'critical')),
    is_active      boolean NOT NULL DEFAULT true,
    settings       jsonb NOT NULL DEFAULT '{}',     -- the settings that are not secret
    secrets        bytea NOT NULL,                  -- the secret settings, encrypted
    code           text NOT NULL DEFAULT '',        -- the code sent to the receiver; empty: no code is needed, or it was confirmed
    code_until     timestamptz,
    code_tries     integer NOT NULL DEFAULT 0,      -- wrong codes that were entered
    created_at     timestamptz NOT NULL DEFAULT now(),
    sent_at        timestamptz,                     -- when a message was last accepted
    failures       integer NOT NULL DEFAULT 0,      -- number of attempts in a row that failed
    failure        text NOT NULL DEFAULT '',
    failing_since  timestamptz
);
CREATE INDEX alert_channels_account ON alert_channels (account_id, id);

-- Accounts whose alerts are announced.
CREATE TABLE alert_watches (
    account_id uuid PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
    looked_at  timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE INDEX alert_watches_due ON alert_watches (looked_at);

-- Alerts that were announced when they began, and whose end was not announced yet.
CREATE TABLE announced_alerts (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    type       text NOT NULL,
    record_id  uuid NOT NULL,
    name       text NOT NULL,                       -- distinguishes alerts about the same record: a currency, a kind of job
    severity   text NOT NULL,
    message    text NOT NULL,
    since      timestamptz NOT NULL,
    PRIMARY KEY (account_id, type, record_id, name)
);

-- One row for each message to a channel. Its job has the same id.
CREATE TABLE alert_messages (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    channel_id uuid NOT NULL,                       -- the channel may have been deleted since
    confirms   boolean NOT NULL DEFAULT false,      -- the message contains the channel's code
    subject    text NOT NULL,
    body       text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()  -- the same for all channels of an announcement
);
CREATE INDEX alert_messages_created ON alert_messages (created_at);
CREATE INDEX alert_messages_account ON alert_messages (account_id, created_at);

-- +goose Down
DROP TABLE alert_messages;
DROP TABLE announced_alerts;
DROP TABLE alert_watches;
DROP TABLE alert_channels;
