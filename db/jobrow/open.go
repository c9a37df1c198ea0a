package jobrow

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/models"
)

// submitted is SQL that is true for jobs that an account has requested. The service itself creates the jobs of the other kinds,
// often thousands of them.
const submitted = `kind NOT IN ('` + models.KindDeliverWebhook + `', '` + models.KindRecordConversion + `', '` +
	models.KindSendPostback + `', '` + models.KindForwardPostback + `', '` + models.KindSendAlert + `')`

const countOpen = `
SELECT count(*) FROM jobs
WHERE account_id = $1 AND state IN ('pending', 'running') AND ($2 = '' OR kind = $2) AND ` + submitted

// CountOpen counts the unfinished jobs of a kind that an account has requested. An empty kind means all kinds.
func CountOpen(ctx context.Context, c db.Conn, account uuid.UUID, kind string) (int, error) {
	return db.Get[int](ctx, c, "open jobs", countOpen, account, kind)
}

const findOpen = `
SELECT id FROM jobs
WHERE account_id = $1 AND state IN ('pending', 'running') AND kind = $2 AND args = $3::jsonb AND ` + submitted + `
ORDER BY created_at LIMIT 1`

// FindOpen returns the id of an unfinished job with the account, kind and arguments of the given job, or the zero id.
func FindOpen(ctx context.Context, c db.Conn, row models.Job) (uuid.UUID, error) {
	id, _, err := db.First[uuid.UUID](ctx, c, "open job", findOpen, row.AccountID, row.Kind, []byte(row.Args))
	return id, err
}

// A later job that is done also did the work that a failed job of its kind had left.
const unfinished = `
SELECT args FROM jobs j
WHERE account_id = $1 AND kind = $2 AND (state IN ('pending', 'running') OR state = 'failed' AND NOT EXISTS (
	SELECT FROM jobs d WHERE d.account_id = $1 AND d.kind = $2 AND d.state = 'done' AND d.created_at > j.created_at))
ORDER BY created_at, id`

// Unfinished returns the arguments of an account's jobs of one kind whose work is not done yet.
func Unfinished(ctx context.Context, c db.Conn, account uuid.UUID, kind string) ([]json.RawMessage, error) {
	return db.Select[json.RawMessage](ctx, c, "unfinished jobs", unfinished, account, kind)
}

const requestedRows = `
SELECT id, account_id, kind, state, coalesce(error, 'null') AS error, created_at, finished_at FROM jobs
WHERE account_id = $1 AND ` + submitted + ` AND kind = ANY ($2) ORDER BY created_at DESC, id DESC LIMIT $3`

// ListRequested lists the newest jobs of the given kinds that an account has requested, without their arguments and results.
func ListRequested(ctx context.Context, c db.Conn, account uuid.UUID, kinds []string, limit int) ([]models.Job, error) {
	return db.Select[models.Job](ctx, c, "jobs of an account", requestedRows, account, pq.Array(kinds), limit)
}

const retainNewest = `
DELETE FROM jobs WHERE id IN (
    SELECT id FROM jobs WHERE account_id = $1 AND state IN ('done', 'failed') AND kind LIKE 'report:%' AND kind = $2
    ORDER BY finished_at DESC OFFSET $3)`

// RetainNewest deletes an account's finished jobs of a kind of report, except the newest ones. keep is the number of jobs that
// stay.
func RetainNewest(ctx context.Context, c db.Conn, kind string, account uuid.UUID, keep int) error {
	return db.Run(ctx, c, "delete old reports", retainNewest, account, kind, keep)
}
