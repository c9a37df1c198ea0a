-- Jobs that must not get lost, the events of accounts, and their deliveries to webhook endpoints.
-- +goose Up
CREATE TABLE jobs (
    id              uuid PRIMARY KEY,
    account_id      uuid REFERENCES accounts (id) ON DELETE CASCADE,
    kind            text NOT NULL,
    args            jsonb NOT NULL DEFAULT '{}',
    state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done', 'failed')),
    attempts        int  NOT NULL DEFAULT 0,
    max_attempts    int  NOT NULL,
    next_attempt_at timestamptz NOT NULL DEFAULT now(),
    lease_until     timestamptz,
    fence           bigint NOT NULL DEFAULT 0,
    generation      bigint NOT NULL DEFAULT 0, -- increases whenever a task for the row is enqueued again
    failed_generation bigint,          -- generation of the task that was archived because this row failed;
                                       -- an operator who runs that task again makes one more attempt
    result          jsonb,             -- set when the job is done, and kept while an operator runs it again
    error           jsonb,             -- of the last attempt
    created_at      timestamptz NOT NULL DEFAULT now(),
    finished_at     timestamptz
);
-- For the reconciler, which looks for rows that are due and that no live lease holds.
CREATE INDEX jobs_due ON jobs (next_attempt_at) WHERE state IN ('pending', 'running');
CREATE INDEX jobs_failed ON jobs (kind, finished_at DESC) WHERE state = 'failed';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state IN ('done', 'failed');

CREATE TABLE webhook_endpoints (
    id                   uuid PRIMARY KEY,
    account_id           uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    name                 text NOT NULL DEFAULT '',
    url                  text NOT NULL,
    events               text[] NOT NULL,
    active               boolean NOT NULL DEFAULT true,
    secret               bytea NOT NULL, -- encrypted
    failing_since        timestamptz,
    consecutive_failures int NOT NULL DEFAULT 0,
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id, created_at DESC, id DESC);

CREATE TABLE events (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    type       text NOT NULL,
    created_at timestamptz NOT NULL,
    body       bytea NOT NULL -- the bytes that every attempt sends
);
CREATE INDEX events_age ON events (created_at);

-- A delivery has the same id as its job. The job has the state of the work, and the delivery has the data that a customer sees.
CREATE TABLE webhook_deliveries (
    id           uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    endpoint_id  uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    event_id     uuid NOT NULL REFERENCES events (id) ON DELETE CASCADE,
    status       text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts     int  NOT NULL DEFAULT 0,
    http_status  int,              -- status of the last attempt's answer; null: no answer came
    error        text NOT NULL DEFAULT '',
    last_attempt timestamptz,
    delivered_at timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (account_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, id DESC);

-- +goose Down
DROP TABLE webhook_deliveries, events, webhook_endpoints, jobs;
