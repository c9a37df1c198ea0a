-- The results of link checks, the months in which accounts exceeded their allowance of clicks, and the previous secrets of webhook
-- endpoints.
-- +goose Up

-- The state of a link after its last check. If the record gets another url than the one in this row, the state starts again.
CREATE TABLE link_checks (
    kind          text NOT NULL CHECK (kind IN ('offer', 'lander')),
    record_id     uuid NOT NULL,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    url           text NOT NULL,
    checked_at    timestamptz NOT NULL,
    http_status   int,                         -- null when no answer came
    error         text NOT NULL DEFAULT '',    -- empty: the link works
    failures      int NOT NULL DEFAULT 0,      -- failed checks in a row
    failing_since timestamptz,
    broken_at     timestamptz,                 -- when the event link.broken was made; null once the link works again
    PRIMARY KEY (kind, record_id)
);
CREATE INDEX link_checks_broken ON link_checks (account_id) WHERE broken_at IS NOT NULL;

-- The state of an address after its last check against a list of unsafe addresses. The column threats has the list's own names of
-- the threats.
CREATE TABLE link_screens (
    kind       text NOT NULL CHECK (kind IN ('offer', 'lander', 'domain')),
    record_id  uuid NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    url        text NOT NULL,
    checked_at timestamptz NOT NULL,
    threats    text[] NOT NULL DEFAULT '{}',
    unsafe_at  timestamptz,                    -- when the event link.unsafe was made; null once the url is not listed any more
    PRIMARY KEY (kind, record_id)
);
CREATE INDEX link_screens_unsafe ON link_screens (account_id) WHERE unsafe_at IS NOT NULL;

-- How the last run of each kind of check ended.
CREATE TABLE link_services (
    name       text PRIMARY KEY,
    status     text NOT NULL CHECK (status IN ('ok', 'failing', 'off')),
    message    text NOT NULL DEFAULT '',
    checked_at timestamptz NOT NULL
);

-- Months in which the clicks exceeded the plan's allowance. Each is announced once.
CREATE TABLE plan_limits (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    month      date NOT NULL,
    plan       text NOT NULL,
    allowance  bigint NOT NULL,
    clicks     bigint NOT NULL,
    reached_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, month)
);

-- Deliveries are also signed with the previous secret until old_secret_until. The column old_secret is encrypted in the same way as
-- the column secret.
ALTER TABLE webhook_endpoints ADD COLUMN old_secret bytea, ADD COLUMN old_secret_until timestamptz;
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (account_id, created_at) WHERE status = 'failed';

-- +goose Down
DROP INDEX webhook_deliveries_failed;
ALTER TABLE webhook_endpoints DROP COLUMN old_secret, DROP COLUMN old_secret_until;
DROP TABLE plan_limits, link_services, link_screens, link_checks;
