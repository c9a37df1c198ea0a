-- The postbacks that are sent to traffic sources about conversions, and the settings for sending them.
-- +goose Up
ALTER TABLE traffic_sources
    ADD COLUMN postback_method   text NOT NULL DEFAULT 'GET',
    ADD COLUMN postback_statuses text[] NOT NULL DEFAULT '{approved}',
    ADD COLUMN postback_goals    jsonb NOT NULL DEFAULT '[]', -- [{goal, url, statuses}]
    ADD COLUMN send_payout_pct   numeric(5, 2) NOT NULL DEFAULT 100;

-- One row for each conversion and status. The row has the same id as its job. The job has the state of the work, and the row has
-- the data that a customer sees. The data of the conversion are as they were when the conversion got the status.
CREATE TABLE source_postbacks (
    id            uuid PRIMARY KEY,
    place         bigint GENERATED ALWAYS AS IDENTITY, -- the postbacks of a conversion are sent in this order
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    source_id     uuid NOT NULL,
    campaign_id   uuid NOT NULL,
    network_id    uuid NOT NULL,
    click_id      uuid NOT NULL,
    conversion_id uuid NOT NULL,
    reference     text NOT NULL, -- the network's or shop's own id of the conversion
    goal          text NOT NULL,
    status        text NOT NULL,
    payout        numeric NOT NULL, -- the whole payout, even if only a share is reported
    currency      text NOT NULL,
    cost          numeric NOT NULL,
    recorded_at   timestamptz NOT NULL,
    result        text NOT NULL DEFAULT 'pending' CHECK (result IN ('pending', 'told', 'failed', 'skipped')),
    reason        text NOT NULL DEFAULT '',
    attempts      int  NOT NULL DEFAULT 0,
    request       jsonb NOT NULL DEFAULT '{}', -- request of the last attempt: {method, url, body}, without secrets
    http_status   int,                         -- status of the last attempt's answer; null: no answer came
    answer        text NOT NULL DEFAULT '',    -- the beginning of the body of that answer
    tries         jsonb NOT NULL DEFAULT '[]', -- the last attempts: [{at, http_status, error, ms}]
    last_attempt  timestamptz,
    told_at       timestamptz,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (conversion_id, status)
);
CREATE INDEX source_postbacks_log ON source_postbacks (account_id, created_at DESC, id DESC);
CREATE INDEX source_postbacks_click ON source_postbacks (click_id);

-- Hosts of traffic sources whose last postback failed.
CREATE TABLE source_failures (
    source_id     uuid NOT NULL,
    origin        text NOT NULL, -- scheme, host and port
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    failing_since timestamptz NOT NULL DEFAULT clock_timestamp(),
    failures      int NOT NULL DEFAULT 1, -- number of failures in a row
    PRIMARY KEY (source_id, origin)
);
CREATE INDEX source_failures_account ON source_failures (account_id);
