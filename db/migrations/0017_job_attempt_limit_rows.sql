-- Copies a row's maximum number of attempts to attempt_limit if it differs from the default of the row's kind. The statement is not
-- in the file that adds the column, because it reads the whole table and must not do so while the table is locked.
-- +goose Up
UPDATE jobs SET attempt_limit = max_attempts
FROM (VALUES ('webhook:deliver', 7), ('conversion:record', 12), ('export:make', 4), ('correction:conversions', 5),
    ('correction:costs', 5), ('campaign:clear', 5), ('orphans:clear', 5), ('smartlink:clear', 5)) AS policy (kind, attempts)
WHERE jobs.kind = policy.kind AND jobs.max_attempts <> policy.attempts;

-- +goose Down
UPDATE jobs SET max_attempts = attempt_limit WHERE attempt_limit IS NOT NULL;
