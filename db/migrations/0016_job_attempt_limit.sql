-- The policy of a job's kind, which is part of the program, says how many times the job is tried. A row has its own number
-- (attempt_limit) only if an operator has granted attempts, or if the job is tried only once.
-- +goose Up
ALTER TABLE jobs
    ADD COLUMN attempt_limit int, -- null: the policy decides
    -- Only processes of the previous version read max_attempts, until they are replaced. The default is the longest schedule that
    -- existed, so that none of these processes gives up a row too early.
    ALTER COLUMN max_attempts SET DEFAULT 12;

-- +goose Down
ALTER TABLE jobs
    DROP COLUMN attempt_limit,
    ALTER COLUMN max_attempts DROP DEFAULT;
