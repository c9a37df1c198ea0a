-- How many bytes are stored for each account. kept_answers has, for each hour, the size of the answers that are kept for
-- repeated calls. job_results has a row for each large result of a job.
-- +goose Up
CREATE TABLE kept_answers (
    account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    hour       timestamptz NOT NULL,
    bytes      bigint NOT NULL, -- size of the answers that were stored in the hour
    PRIMARY KEY (account_id, hour)
);
CREATE INDEX kept_answers_age ON kept_answers (hour);

CREATE TABLE job_results (
    job_id      uuid PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    account_id  uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
    bytes       bigint NOT NULL,
    finished_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX job_results_account ON job_results (account_id, finished_at DESC);

-- +goose Down
DROP TABLE job_results, kept_answers;
