-- Upload requests whose results the platform reports only later.
-- +goose Up
CREATE TABLE upload_requests (
    source_id  uuid NOT NULL REFERENCES traffic_sources (id) ON DELETE CASCADE,
    request    text NOT NULL,        -- the platform's name of the request
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    made_at    timestamptz NOT NULL,
    check_at   timestamptz NOT NULL, -- when the results are next requested from the platform
    PRIMARY KEY (source_id, request)
);
CREATE INDEX upload_requests_account ON upload_requests (account_id);
ALTER TABLE conversion_uploads ADD COLUMN request text NOT NULL DEFAULT ''; -- the request whose result is awaited; empty: none

-- +goose Down
ALTER TABLE conversion_uploads DROP COLUMN request;
DROP TABLE upload_requests;
