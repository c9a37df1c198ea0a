package jobrow

import (
	"context"
	"fmt"
	"time"

	"switchyard/db"
	"switchyard/models"
)

const insertRow = `
INSERT INTO jobs (id, account_id, kind, args, max_attempts, next_attempt_at, created_at)
VALUES ($1, $2, $3, $4, $5, $6, now())
ON CONFLICT (id) DO NOTHING`

// Insert writes the row of a job. Writing the same id again does nothing.
func Insert(ctx context.Context, c db.Conn, j models.Job) error {
	if j.NextAttemptAt.IsZero() {
		j.NextAttemptAt = time.Now()
	}
	if len(j.Args) == 0 {
		j.Args = []byte(`{}`)
	}
	_, err := c.ExecContext(ctx, insertRow, j.ID, j.AccountID, j.Kind, []byte(j.Args), j.MaxAttempts, j.NextAttemptAt)
	if err != nil {
		return fmt.Errorf("jobrow: insert: %w", err)
	}
	return nil
}
