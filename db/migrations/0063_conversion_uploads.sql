-- Uploads of conversions to ad platforms, and the limits and failures that delay or stop them.
-- +goose Up
ALTER TABLE source_integrations
    ADD COLUMN upload_mode       text NOT NULL DEFAULT 'shadow' CHECK (upload_mode IN ('shadow', 'live')),
    ADD COLUMN daily_cap_count   integer NOT NULL DEFAULT 10000,   -- maximum number of uploads per day in the account's time zone
    ADD COLUMN daily_cap_value   numeric NOT NULL DEFAULT 100000,  -- maximum total value of these uploads, in the account's currency
    ADD COLUMN uploads_ready_at  timestamptz,                      -- the platform accepts no uploads before this time
    ADD COLUMN uploads_since     timestamptz NOT NULL DEFAULT now(), -- when uploads were begun or resumed
    ADD COLUMN uploads_stopped   text NOT NULL DEFAULT '',         -- why uploads were stopped; empty: they were not stopped
    ADD COLUMN uploads_stopped_at timestamptz,
    ADD COLUMN upload_job        uuid,                             -- the last upload job
    ADD COLUMN upload_next_at    timestamptz NOT NULL DEFAULT now(), -- earliest start of the next job
    ADD COLUMN upload_failure    text NOT NULL DEFAULT '',         -- why the last job failed; empty: it did not fail
    ADD COLUMN upload_failures   integer NOT NULL DEFAULT 0,       -- number of failed jobs in a row
    ADD COLUMN upload_failing_since timestamptz;

-- One row for each change of a conversion that is reported to a platform. The rows of a conversion are sent in the order of the
-- column place.
CREATE TABLE conversion_uploads (
    id            uuid PRIMARY KEY,
    place         bigint GENERATED ALWAYS AS IDENTITY,
    account_id    uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    source_id     uuid NOT NULL,
    click_id      uuid NOT NULL,
    conversion_id uuid NOT NULL,        -- the platform knows the conversion by this id
    goal          text NOT NULL,
    status        text NOT NULL,
    action        text NOT NULL CHECK (action IN ('upload', 'restate', 'retract')),
    value         numeric NOT NULL,     -- the share of the payout that is reported
    currency      text NOT NULL,
    worth         numeric NOT NULL,     -- the value in the account's currency
    happened_at   timestamptz NOT NULL, -- the same in all uploads of a conversion
    changed_at    timestamptz NOT NULL,
    result        text NOT NULL DEFAULT 'pending' CHECK (result IN ('pending', 'accepted', 'rejected', 'shadow', 'skipped')),
    reason        text NOT NULL DEFAULT '',
    attempts      integer NOT NULL DEFAULT 0, -- how often the upload may have reached the platform
    next_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    decided_at    timestamptz,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX conversion_uploads_pending ON conversion_uploads (source_id, place) WHERE result = 'pending';
CREATE INDEX conversion_uploads_source ON conversion_uploads (source_id, created_at DESC);
CREATE INDEX conversion_uploads_decided ON conversion_uploads (source_id, decided_at DESC) WHERE result IN ('accepted', 'rejected');
CREATE INDEX conversion_uploads_conversion ON conversion_uploads (conversion_id, place);
CREATE INDEX conversion_uploads_click ON conversion_uploads (click_id);
CREATE INDEX conversion_uploads_account ON conversion_uploads (account_id, created_at);

-- +goose Down
DROP TABLE conversion_uploads;
ALTER TABLE source_integrations
    DROP COLUMN upload_mode, DROP COLUMN daily_cap_count, DROP COLUMN daily_cap_value, DROP COLUMN uploads_ready_at,
    DROP COLUMN uploads_since, DROP COLUMN uploads_stopped, DROP COLUMN uploads_stopped_at, DROP COLUMN upload_job,
    DROP COLUMN upload_next_at, DROP COLUMN upload_failure, DROP COLUMN upload_failures, DROP COLUMN upload_failing_since;
