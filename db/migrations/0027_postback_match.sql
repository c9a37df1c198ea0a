-- A postback whose click is not stored yet has no job. One statement looks for the clicks of all waiting postbacks. match_at is
-- the time of the next search. It is null for postbacks that have a job or are decided.
-- +goose Up
ALTER TABLE postbacks ADD COLUMN match_at timestamptz;
UPDATE postbacks SET match_at = now() FROM jobs j
WHERE j.id = postbacks.id AND j.kind = 'conversion:match' AND postbacks.outcome = 'pending';
DELETE FROM jobs WHERE kind = 'conversion:match';

-- +goose Down
ALTER TABLE postbacks DROP COLUMN match_at;
