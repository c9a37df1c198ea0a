-- Where alerts are announced, which ones were, and what is sent.
-- +goose Up
CREATE TABLE alert_channels (
    id             uuid PRIMARY KEY,
    account_id     uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    kind           text NOT NULL,
    name           text NOT NULL DEFAULT '',
    least          text NOT NULL DEFAULT 'warning' CHECK (least IN ('warning', 'critical')),
    is_active      boolean NOT NULL DEFAULT true,
    settings       jsonb NOT NULL DEFAULT '{}',     -- credentials in clear
    secrets        bytea NOT NULL,                  -- the others, sealed
    code           text NOT NULL DEFAULT '',        -- that its receiver was sent; empty: it needs none, or was confirmed
    code_until     timestamptz,
    code_tries     integer NOT NULL DEFAULT 0,      -- wrong ones
    created_at     timestamptz NOT NULL DEFAULT now(),
    sent_at        timestamptz,                     -- the last message that was taken
    failures       integer NOT NULL DEFAULT 0,      -- messages in a row that nobody took
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

-- Alerts whose beginning was announced and whose end was not.
CREATE TABLE announced_alerts (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    type       text NOT NULL,
    record_id  uuid NOT NULL,
    name       text NOT NULL,                       -- tells alerts of one record apart: a currency, a kind of job
    severity   text NOT NULL,
    message    text NOT NULL,
    since      timestamptz NOT NULL,
    PRIMARY KEY (account_id, type, record_id, name)
);

-- One for each channel and announcement. Its job has its id.
CREATE TABLE alert_messages (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    channel_id uuid NOT NULL,                       -- perhaps deleted by now
    confirms   boolean NOT NULL DEFAULT false,      -- it has the code of the channel
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
