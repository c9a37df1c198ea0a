-- The tracker that an account moved from. A postback about a click of the old tracker is forwarded to that tracker. Routing
-- reads the tracker's name together with the account.
-- +goose Up
ALTER TABLE accounts
    ADD COLUMN old_tracker     text NOT NULL DEFAULT '',
    ADD COLUMN old_tracker_url text NOT NULL DEFAULT ''; -- if it has no path, the path of the received postback is appended

-- The job that forwards a postback has the id of the row in this table.
CREATE TABLE forwarded_postbacks (
    id          uuid PRIMARY KEY,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    postback_id uuid NOT NULL UNIQUE,
    request     bytea, -- path and query as received, encrypted; null when there is no further attempt
    result      text NOT NULL DEFAULT 'pending' CHECK (result IN ('pending', 'sent', 'failed', 'skipped')),
    reason      text NOT NULL DEFAULT '',
    attempts    int  NOT NULL DEFAULT 0,
    http_status int, -- status of the last attempt's answer; null: no answer came
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    sent_at     timestamptz
);
CREATE INDEX forwarded_postbacks_age ON forwarded_postbacks (account_id, created_at);

-- +goose Down
DROP TABLE forwarded_postbacks;
ALTER TABLE accounts DROP COLUMN old_tracker, DROP COLUMN old_tracker_url;
