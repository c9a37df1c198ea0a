-- What checks of links found, which allowances of clicks were passed, and the secrets that webhook endpoints had before.
-- +goose Up

-- The state of a link by its last check. It holds for this url: a record that gets another one starts anew.
CREATE TABLE link_checks (
    kind          text NOT NULL CHECK (kind IN ('offer', 'lander')),
    record_id     uuid NOT NULL,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    url           text NOT NULL,
    checked_at    timestamptz NOT NULL,
    http_status   int,                         -- null when no answer came
    error         text NOT NULL DEFAULT '',    -- empty: it works
    failures      int NOT NULL DEFAULT 0,      -- checks in a row
    failing_since timestamptz,
    broken_at     timestamptz,                 -- when link.broken was made; null once it works again
    PRIMARY KEY (kind, record_id)
);
CREATE INDEX link_checks_broken ON link_checks (account_id) WHERE broken_at IS NOT NULL;

-- The same for lists of unsafe addresses. Threats are the list's own words.
CREATE TABLE link_screens (
    kind       text NOT NULL CHECK (kind IN ('offer', 'lander', 'domain')),
    record_id  uuid NOT NULL,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    url        text NOT NULL,
    checked_at timestamptz NOT NULL,
    threats    text[] NOT NULL DEFAULT '{}',
    unsafe_at  timestamptz,                    -- when link.unsafe was made; null once it is not listed any more
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

-- Months whose clicks passed the plan's allowance, each announced once.
CREATE TABLE plan_limits (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    month      date NOT NULL,
    plan       text NOT NULL,
    allowance  bigint NOT NULL,
    clicks     bigint NOT NULL,
    reached_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, month)
);

-- The secret before the last rotation signs as well until its time is over. It is sealed for the column secret.
ALTER TABLE webhook_endpoints ADD COLUMN old_secret bytea, ADD COLUMN old_secret_until timestamptz;
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (account_id, created_at) WHERE status = 'failed';

-- +goose Down
DROP INDEX webhook_deliveries_failed;
ALTER TABLE webhook_endpoints DROP COLUMN old_secret, DROP COLUMN old_secret_until;
DROP TABLE plan_limits, link_services, link_screens, link_checks;
