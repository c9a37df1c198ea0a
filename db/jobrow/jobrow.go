package jobrow

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

const getRow = `SELECT ` + columns + ` FROM jobs WHERE id = $1 AND account_id = $2`

// Get finds a job of an account.
func Get(ctx context.Context, c db.Conn, account, id uuid.UUID) (models.Job, error) {
	var j models.Job
	err := sqlx.GetContext(ctx, c, &j, getRow, id, account)
	if db.NoRows(err) {
		return j, models.NotFound("job")
	}
	if err != nil {
		return j, fmt.Errorf("jobrow: get: %w", err)
	}
	return j, nil
}

// Status is Get as GET /jobs/{id} shows it.
func Status(ctx context.Context, c db.Conn, account, id uuid.UUID) (models.JobStatus, error) {
	j, err := Get(ctx, c, account, id)
	if err != nil {
		return models.JobStatus{}, err
	}
	s := models.JobStatus{ID: j.ID.String(), Kind: j.Kind, Status: j.State}
	switch j.State {
	case models.JobDone:
		s.Result = j.Result
	case models.JobFailed:
		s.Error = &models.Error{}
		if err := json.Unmarshal(j.Error, s.Error); err != nil {
			return s, fmt.Errorf("jobrow: error of a job: %w", err)
		}
	}
	return s, nil
}

// Filter chooses rows for operators; an empty field does not restrict.
type Filter struct {
	State string
	Wait  string // of pending rows: WaitDue, WaitLater or WaitRetry
	Kinds []string
	Limit int // default 100
}

// What a pending row waits for.
const (
	WaitDue   = "due"   // a worker: it was not tried yet
	WaitLater = "later" // its hour: it was not tried yet
	WaitRetry = "retry" // its next attempt
)

const chosenRows = ` FROM jobs
WHERE ($1 = '' OR state = $1) AND (cardinality($2::text[]) = 0 OR kind = ANY ($2)) AND ($3 = '' OR state = 'pending'
    AND $3 = CASE WHEN attempts > 0 THEN 'retry' WHEN next_attempt_at > clock_timestamp() THEN 'later' ELSE 'due' END)`

const (
	listRows  = `SELECT ` + columns + chosenRows + ` ORDER BY created_at DESC, id DESC LIMIT $4`
	countRows = `SELECT count(*)` + chosenRows
)

// List gives the newest rows of all accounts. It is for operators: it does not look at accounts.
func List(ctx context.Context, c db.Conn, f Filter) ([]models.Job, error) {
	if f.Limit == 0 {
		f.Limit = 100
	}
	var rows []models.Job
	err := sqlx.SelectContext(ctx, c, &rows, listRows, f.State, f.kinds(), f.Wait, f.Limit)
	if err != nil {
		return nil, fmt.Errorf("jobrow: list: %w", err)
	}
	return rows, nil
}

// Count tells how many rows the filter chooses, whatever its limit.
func Count(ctx context.Context, c db.Conn, f Filter) (n int, err error) {
	if err := sqlx.GetContext(ctx, c, &n, countRows, f.State, f.kinds(), f.Wait); err != nil {
		return 0, fmt.Errorf("jobrow: count: %w", err)
	}
	return n, nil
}

func (f Filter) kinds() any {
	if f.Kinds == nil {
		return pq.Array([]string{})
	}
	return pq.Array(f.Kinds)
}

// Due is a row that should be worked on and that nobody holds.
type Due struct {
	ID         uuid.UUID     `db:"id"`
	AccountID  uuid.NullUUID `db:"account_id"`
	Kind       string        `db:"kind"`
	Generation int64         `db:"generation"`
	At         time.Time     `db:"at"`
	Failed     int64         `db:"failed"` // of a requeued row: the generation whose task is archived for it, -1 for none
}

// The second of grace leaves a row to the task that was enqueued for it, before anybody looks whether that task exists.
const dueAt = `CASE state WHEN 'running' THEN lease_until ELSE next_attempt_at + interval '1 second' END`

const dueRows = `
SELECT id, account_id, kind, generation, ` + dueAt + ` AS at FROM jobs
WHERE state IN ('pending', 'running') AND next_attempt_at <= clock_timestamp() AND ` + dueAt + ` <= clock_timestamp()
  AND kind = ANY ($4) AND (` + dueAt + `, id) > ($1, $2)
ORDER BY at, id LIMIT $3`

// ListDue gives due rows of the kinds that no live lease holds, the longest waiting first, after a row of an earlier
// call (the zero Due to begin). Whether they still have a task is for the caller to find out.
func ListDue(ctx context.Context, c db.Conn, kinds []string, after Due, limit int) ([]Due, error) {
	if after.At.IsZero() {
		after.At = time.Unix(0, 0)
	}
	var rows []Due
	err := sqlx.SelectContext(ctx, c, &rows, dueRows, after.At, after.ID, limit, pq.Array(kinds))
	if err != nil {
		return nil, fmt.Errorf("jobrow: due: %w", err)
	}
	return rows, nil
}

// SKIP LOCKED passes over rows that are being claimed or committed right now.
const renewRows = `
WITH lost AS (
    SELECT j.id FROM jobs j JOIN unnest($1::uuid[], $2::bigint[]) AS l (id, generation) USING (id, generation)
    WHERE j.state = 'pending' OR (j.state = 'running' AND j.lease_until <= clock_timestamp())
    FOR UPDATE OF j SKIP LOCKED
)
UPDATE jobs SET generation = generation + 1 FROM lost WHERE jobs.id = lost.id
RETURNING jobs.id, jobs.account_id, jobs.kind, jobs.generation, jobs.next_attempt_at AS at`

// Regenerate gives rows that lost their task a new generation, under which they can be enqueued again. A row that was
// claimed, finished or regenerated by another meanwhile is left out.
func Regenerate(ctx context.Context, c db.Conn, lost []Due) ([]Due, error) {
	ids, generations := make([]string, len(lost)), make([]int64, len(lost))
	for i, r := range lost {
		ids[i], generations[i] = r.ID.String(), r.Generation
	}
	var rows []Due
	if err := sqlx.SelectContext(ctx, c, &rows, renewRows, pq.Array(ids), pq.Array(generations)); err != nil {
		return nil, fmt.Errorf("jobrow: regenerate: %w", err)
	}
	return rows, nil
}

// A failed row gets one attempt; one that waits is due at once. Rows that are done or held stay as they are.
const requeueRows = `
WITH chosen AS (
    SELECT id, coalesce(failed_generation, -1) AS failed FROM jobs
    WHERE (cardinality($1::uuid[]) = 0 OR id = ANY ($1)) AND (cardinality($2::text[]) = 0 OR kind = ANY ($2))
      AND (state = 'failed' OR (state IN ('pending', 'running') AND cardinality($1::uuid[]) > 0
           AND (lease_until IS NULL OR lease_until <= clock_timestamp())))
    FOR UPDATE
)
UPDATE jobs SET state = 'pending', next_attempt_at = clock_timestamp(), generation = generation + 1, lease_until = NULL,
    finished_at = NULL, failed_generation = NULL,
    max_attempts = CASE state WHEN 'failed' THEN attempts + 1 ELSE max_attempts END
FROM chosen WHERE jobs.id = chosen.id
RETURNING jobs.id, account_id, kind, generation, next_attempt_at AS at, failed`

// Requeue makes rows due now by hand and tells which, for dispatching: the named ones that failed or wait, or without
// names all failed ones of the kinds (no kinds = all). It is always safe: what is done or being done is left alone.
func Requeue(ctx context.Context, c db.Conn, ids []uuid.UUID, kinds ...string) ([]Due, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	if kinds == nil {
		kinds = []string{}
	}
	var rows []Due
	if err := sqlx.SelectContext(ctx, c, &rows, requeueRows, pq.Array(names), pq.Array(kinds)); err != nil {
		return nil, fmt.Errorf("jobrow: requeue: %w", err)
	}
	return rows, nil
}

// KeepFinished is how long finished jobs are kept, done or failed.
const KeepFinished = 30 * 24 * time.Hour

// pruneAtOnce is how many rows one statement deletes.
const pruneAtOnce = 5000

// SKIP LOCKED passes over rows that are being requeued right now.
const pruneRows = `
DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE state IN ('done', 'failed') AND finished_at < $1
    ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)`

// Prune deletes what finished longer ago than the age, a part at a time, and tells how many rows went.
func Prune(ctx context.Context, c db.Conn, age time.Duration) (int64, error) {
	n, err := db.InParts(ctx, c, pruneRows, pruneAtOnce, time.Now().Add(-age))
	if err != nil {
		return n, fmt.Errorf("jobrow: prune: %w", err)
	}
	return n, nil
}

// Stats are figures for monitoring.
type Stats struct {
	Kind      string  `db:"kind"`
	State     string  `db:"state"`
	Rows      int64   `db:"rows"`
	OldestDue float64 `db:"oldest_due"` // seconds that the longest waiting due row waits; 0 = none, or it is being worked on
}

const statRows = `
SELECT kind, state, count(*) AS rows, coalesce(greatest(max(extract(epoch FROM clock_timestamp() -
    CASE state WHEN 'pending' THEN next_attempt_at WHEN 'running' THEN lease_until END)), 0), 0)::float8 AS oldest_due
FROM jobs WHERE state IN ('pending', 'running', 'failed') GROUP BY kind, state`

// ReadStats counts the rows that are not done, by kind and state.
func ReadStats(ctx context.Context, c db.Conn) ([]Stats, error) {
	var rows []Stats
	if err := sqlx.SelectContext(ctx, c, &rows, statRows); err != nil {
		return nil, fmt.Errorf("jobrow: stats: %w", err)
	}
	return rows, nil
}
