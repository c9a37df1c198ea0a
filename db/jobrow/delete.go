package jobrow

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

// Retention is how long done and failed jobs are kept.
const Retention = 30 * 24 * time.Hour

const deleteBatch = 5000

// SKIP LOCKED skips rows that are being requeued.
const deleteFinished = `
DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE state IN ('done', 'failed') AND finished_at < $1
    ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)`

// DeleteFinished deletes the rows that finished before the given time, in batches, and returns their number.
func DeleteFinished(ctx context.Context, c db.Conn, before time.Time) (int64, error) {
	return db.InParts(ctx, c, "delete finished jobs", deleteFinished, deleteBatch, before)
}

const (
	anyOpen = `SELECT EXISTS (SELECT FROM jobs WHERE kind = $1 AND state IN ('pending', 'running') AND id >= $2 AND id < $3)`

	deleteRange = `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs
    WHERE kind = $1 AND state IN ('done', 'failed') AND id >= $2 AND id < $3 LIMIT $4)`
)

// DeleteRange deletes the rows of a kind with ids in [low, high), in batches. If one of these jobs waits or runs, it deletes
// nothing and returns true.
func DeleteRange(ctx context.Context, c db.Conn, kind string, low, high uuid.UUID) (open bool, err error) {
	const what = "delete jobs"
	if open, err = db.Get[bool](ctx, c, what, anyOpen, kind, low, high); err == nil && !open {
		_, err = db.InParts(ctx, c, what, deleteRange, deleteBatch, kind, low, high)
	}
	return open, err
}

// Delete deletes rows of the given kinds in any state, in the transaction of c. A worker that is running such a job cannot commit
// its effect.
func Delete(ctx context.Context, c db.Conn, ids []uuid.UUID, kinds ...string) error {
	const query = `DELETE FROM jobs WHERE id = ANY ($1::uuid[]) AND kind = ANY ($2::text[])`
	return db.Run(ctx, c, "delete jobs", query, db.UUIDs(ids), kinds)
}

// IsOpen returns SQL that is true while a job waits or runs. id is SQL for the job's id.
func IsOpen(id string) string {
	return `EXISTS (SELECT FROM jobs WHERE jobs.id = ` + id + ` AND state IN ('pending', 'running'))`
}

// DeleteFinishedFrom returns SQL that deletes the finished jobs of a kind. The ids of the jobs are in a relation. Both parameters
// are SQL.
func DeleteFinishedFrom(relation, kind string) string {
	return `DELETE FROM jobs j USING ` + relation + ` r WHERE j.id = r.id AND j.kind = ` + kind + ` AND j.state IN ('done', 'failed')`
}
