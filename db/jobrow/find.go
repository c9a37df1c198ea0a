package jobrow

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

const findRow = `SELECT ` + columns + ` FROM jobs WHERE id = $1 AND account_id = $2`

// Find returns a job of an account. The error is not_found for another account's job.
func Find(ctx context.Context, c db.Conn, account, id uuid.UUID) (models.Job, error) {
	return db.Get[models.Job](ctx, c, "job", findRow, id, account)
}

// Status returns a job in the form that GET /jobs/{id} shows.
func Status(ctx context.Context, c db.Conn, account, id uuid.UUID) (models.JobStatus, error) {
	j, err := Find(ctx, c, account, id)
	if err != nil {
		return models.JobStatus{}, err
	}
	s := models.JobStatus{ID: j.ID.String(), Kind: j.Kind, Status: j.State}
	switch j.State {
	case models.JobDone:
		s.Result = j.Result
		if string(j.Result) == removedResult {
			s.Result, s.Error = nil, ErrResultRemoved
		}
	case models.JobFailed:
		s.Error = &models.Error{}
		if err := json.Unmarshal(j.Error, s.Error); err != nil {
			return s, fmt.Errorf("jobrow: error of a job: %w", err)
		}
	}
	return s, nil
}

// NextAttempt returns SQL for the time of a job's next attempt. It is NULL unless the job waits. id is SQL for the job's id.
func NextAttempt(id string) string {
	return `(SELECT next_attempt_at FROM jobs WHERE jobs.id = ` + id + ` AND state = 'pending')`
}

// Filter selects rows for operators. If State, Wait or Kinds is empty, it excludes no rows.
type Filter struct {
	State string
	Wait  string // only pending rows: WaitDue, WaitLater or WaitRetry
	Kinds []string
	Limit int // default 100
}

// What a pending row waits for.
const (
	WaitDue   = "due"   // the row waits for a worker
	WaitLater = "later" // the row waits for the time of its first attempt
	WaitRetry = "retry" // the row waits for another attempt
)

const chosenRows = ` FROM jobs
WHERE ($1 = '' OR state = $1) AND (cardinality($2::text[]) = 0 OR kind = ANY ($2)) AND ($3 = '' OR state = 'pending'
    AND $3 = CASE WHEN attempts > 0 THEN 'retry' WHEN next_attempt_at > clock_timestamp() THEN 'later' ELSE 'due' END)`

const (
	listRows  = `SELECT ` + columns + chosenRows + ` ORDER BY created_at DESC, id DESC LIMIT $4`
	countRows = `SELECT count(*)` + chosenRows
)

// List lists the newest rows of all accounts.
func List(ctx context.Context, c db.Conn, f Filter) ([]models.Job, error) {
	return db.Select[models.Job](ctx, c, "list jobs", listRows, f.State, f.kinds(), f.Wait, cmp.Or(f.Limit, 100))
}

// Count counts the rows of a filter, without its limit.
func Count(ctx context.Context, c db.Conn, f Filter) (int, error) {
	return db.Get[int](ctx, c, "count jobs", countRows, f.State, f.kinds(), f.Wait)
}

func (f Filter) kinds() []string { return append([]string{}, f.Kinds...) }

// Stats counts the rows of a kind and state, for monitoring.
type Stats struct {
	Kind      string  `db:"kind"`
	State     string  `db:"state"`
	Rows      int64   `db:"rows"`
	OldestDue float64 `db:"oldest_due"` // seconds since the first pending row was due, or since the first lease of a running row ended; 0: neither
}

const statRows = `
SELECT kind, state, count(*) AS rows, coalesce(greatest(max(extract(epoch FROM clock_timestamp() -
    CASE state WHEN 'pending' THEN next_attempt_at WHEN 'running' THEN lease_until END)), 0), 0)::float8 AS oldest_due
FROM jobs WHERE state IN ('pending', 'running', 'failed') GROUP BY kind, state`

// ReadStats returns the figures of the rows that are not done.
func ReadStats(ctx context.Context, c db.Conn) ([]Stats, error) {
	return db.Select[Stats](ctx, c, "job stats", statRows)
}

// LateJobs counts the jobs of a kind that are due and do not run.
type LateJobs struct {
	Kind  string    `db:"kind"`
	Since time.Time `db:"since"`
	Rows  int64     `db:"rows"`
}

// Only the oldest 50,000 late rows of all accounts are read.
const lateRows = `
SELECT kind, min(next_attempt_at) AS since, count(*) AS rows FROM (
	SELECT kind, account_id, next_attempt_at FROM jobs
	WHERE state = 'pending' AND next_attempt_at < $2 ORDER BY next_attempt_at LIMIT 50000
) late WHERE account_id = $1 GROUP BY kind ORDER BY since, kind`

// ListLate lists the kinds of an account's jobs that were due before the given time and still wait. The kind that has waited
// longest comes first.
func ListLate(ctx context.Context, c db.Conn, account uuid.UUID, due time.Time) ([]LateJobs, error) {
	return db.Select[LateJobs](ctx, c, "late jobs", lateRows, account, due)
}
