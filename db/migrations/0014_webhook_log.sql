-- Weekly partitions for the log of webhooks, so that old weeks are dropped and not deleted row by row. The id of a row contains the
-- row's time.
-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
    -- UUIDv7: 48 bits of milliseconds, the rest is random. Setting two bits turns version 4 into version 7.
    SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
        FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;
-- +goose StatementEnd

ALTER TABLE webhook_deliveries RENAME TO webhook_deliveries_before;
ALTER INDEX webhook_deliveries_pkey RENAME TO webhook_deliveries_before_pkey;
DROP INDEX webhook_deliveries_list, webhook_deliveries_endpoint, webhook_deliveries_failed;
ALTER TABLE events RENAME TO events_before;
ALTER INDEX events_pkey RENAME TO events_before_pkey;
DROP INDEX events_age;

CREATE TABLE events (
    id         uuid PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    type       text NOT NULL,
    created_at timestamptz NOT NULL,
    body       bytea NOT NULL -- the bytes that every attempt sends
) PARTITION BY RANGE (id);

-- A delivery has the same id as its job. The job has the state of the work, and the delivery has the data that a customer sees. The
-- event of a delivery is in the same week or in the week before.
CREATE TABLE webhook_deliveries (
    id           uuid PRIMARY KEY,
    account_id   uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    endpoint_id  uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    event_id     uuid NOT NULL,
    status       text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts     int  NOT NULL DEFAULT 0,
    http_status  int,              -- status of the last attempt's answer; null: no answer came
    error        text NOT NULL DEFAULT '',
    last_attempt timestamptz,
    delivered_at timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now()
) PARTITION BY RANGE (id);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (account_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (account_id, created_at) WHERE status = 'failed';

-- These partitions take the rows whose week has no partition of its own, so that no row is refused.
CREATE TABLE events_rest PARTITION OF events DEFAULT;
CREATE TABLE webhook_deliveries_rest PARTITION OF webhook_deliveries DEFAULT;

-- The names and bounds are the same as in db/delivery, which makes the partitions of later weeks.
-- +goose StatementBegin
DO $$
DECLARE
    week timestamp := date_trunc('week', now() AT TIME ZONE 'utc');
    floors uuid[];
    log text;
BEGIN
    FOR i IN 1..4 LOOP
        SELECT array_agg(rpad(lpad(to_hex((extract(epoch FROM t) * 1000)::bigint), 12, '0'), 32, '0')::uuid ORDER BY t)
        INTO floors FROM unnest(ARRAY[week, week + interval '7 days']) t;
        FOREACH log IN ARRAY ARRAY['events', 'webhook_deliveries'] LOOP
            EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
                log || '_w' || to_char(week, 'YYYYMMDD'), log, floors[1], floors[2]);
        END LOOP;
        week := week + interval '7 days';
    END LOOP;
END
$$;
-- +goose StatementEnd

INSERT INTO events (id, account_id, type, created_at, body)
SELECT id, account_id, type, created_at, body FROM events_before;
INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, status, attempts, http_status, error, last_attempt,
    delivered_at, created_at)
SELECT id, account_id, endpoint_id, event_id, status, attempts, http_status, error, last_attempt, delivered_at, created_at
FROM webhook_deliveries_before;
DROP TABLE webhook_deliveries_before, events_before;

-- +goose Down
ALTER TABLE webhook_deliveries RENAME TO webhook_deliveries_weeks;
ALTER INDEX webhook_deliveries_pkey RENAME TO webhook_deliveries_weeks_pkey;
ALTER TABLE events RENAME TO events_weeks;
ALTER INDEX events_pkey RENAME TO events_weeks_pkey;
DROP INDEX webhook_deliveries_list, webhook_deliveries_endpoint, webhook_deliveries_failed;
CREATE TABLE events (LIKE events_weeks INCLUDING DEFAULTS, PRIMARY KEY (id),
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE);
INSERT INTO events SELECT * FROM events_weeks;
CREATE INDEX events_age ON events (created_at);
CREATE TABLE webhook_deliveries (LIKE webhook_deliveries_weeks INCLUDING DEFAULTS INCLUDING CONSTRAINTS, PRIMARY KEY (id),
    FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE CASCADE,
    FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    FOREIGN KEY (event_id) REFERENCES events (id) ON DELETE CASCADE);
INSERT INTO webhook_deliveries SELECT * FROM webhook_deliveries_weeks d WHERE EXISTS (SELECT FROM events e WHERE e.id = d.event_id);
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (account_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (account_id, created_at) WHERE status = 'failed';
DROP TABLE webhook_deliveries_weeks, events_weeks;
DROP FUNCTION new_id();
