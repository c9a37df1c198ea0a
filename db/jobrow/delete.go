package jobrow

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
)

// Retention is how long finished jobs are kept, done or failed.
const Retention = 30 * 24 * time.Hour

// deleteBatch is how many rows one statement deletes, so that none holds its locks for long.
const deleteBatch = 5000

// SKIP LOCKED passes over rows that are being requeued right now.
const deleteFinished = `
DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE state IN ('done', 'failed') AND finished_at < $1
    ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)`

// DeleteFinished deletes the rows that finished longer ago than the age, and tells how many. It works in batches, each
// with a commit of its own.
func DeleteFinished(ctx context.Context, c db.Conn, age time.Duration) (int64, error) {
	n, err := db.InParts(ctx, c, deleteFinished, deleteBatch, time.Now().Add(-age))
	if err != nil {
		return n, fmt.Errorf("jobrow: delete finished: %w", err)
	}
	return n, nil
}

const (
	anyOpen = `SELECT EXISTS (SELECT FROM jobs WHERE kind = $1 AND state IN ('pending', 'running') AND id >= $2 AND id < $3)`

	deleteRange = `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs
    WHERE kind = $1 AND state IN ('done', 'failed') AND id >= $2 AND id < $3 LIMIT $4)`
)

// DeleteRange deletes the rows of a kind with ids in [low, high), in batches. While one of them waits or runs it deletes
// nothing: open is true then.
func DeleteRange(ctx context.Context, c db.Conn, kind string, low, high uuid.UUID) (open bool, err error) {
	if err = sqlx.GetContext(ctx, c, &open, anyOpen, kind, low, high); err == nil && !open {
		_, err = db.InParts(ctx, c, deleteRange, deleteBatch, kind, low, high)
	}
	if err != nil {
		return open, fmt.Errorf("jobrow: delete range: %w", err)
	}
	return open, nil
}

// IsOpen is the SQL that is true when the job with an id, SQL too, waits or runs.
func IsOpen(id string) string {
	return `EXISTS (SELECT FROM jobs WHERE jobs.id = ` + id + ` AND state IN ('pending', 'running'))`
}
