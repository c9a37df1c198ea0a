-- How often a job is tried is said by the policy of its kind, in the program. A row says so itself only where attempts
-- were granted by hand, or where it is tried once: attempt_limit.
-- +goose Up
ALTER TABLE jobs
    ADD COLUMN attempt_limit int, -- null: as the policy says
    -- Read only by processes of before, while they are replaced. The default is the longest schedule there was, so that
    -- none of them gives a row up too early. A later migration drops the column.
    ALTER COLUMN max_attempts SET DEFAULT 12;

-- +goose Down
ALTER TABLE jobs
    DROP COLUMN attempt_limit,
    ALTER COLUMN max_attempts DROP DEFAULT;
