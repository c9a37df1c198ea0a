package upload

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

var selectLog = `SELECT ` + columns + ` FROM conversion_uploads u
WHERE u.account_id = $1 AND u.source_id = $2 ORDER BY u.created_at DESC, u.place DESC LIMIT $3`

// List lists the last uploads of a traffic source, newest first.
func List(ctx context.Context, c db.Conn, account, source uuid.UUID, limit int) ([]models.ConversionUpload, error) {
	return db.Select[models.ConversionUpload](ctx, c, "uploads", selectLog, account, source, limit)
}

const countResults = `SELECT result, count(*) AS n FROM conversion_uploads
WHERE account_id = $1 AND source_id = $2 AND created_at >= $3 GROUP BY result`

// Count counts the uploads of a traffic source that were created since the given time, by result.
func Count(ctx context.Context, c db.Conn, account, source uuid.UUID, since time.Time) (map[string]int, error) {
	return db.Pairs[string, int](ctx, c, "count uploads", countResults, account, source, since)
}

const (
	deleteOfClicks = `DELETE FROM conversion_uploads WHERE click_id = ANY ($1::uuid[])`

	deleteExpired = `
DELETE FROM conversion_uploads WHERE id IN (
	SELECT p.id FROM accounts a CROSS JOIN LATERAL (
		SELECT id FROM conversion_uploads WHERE account_id = a.id AND created_at < $1 ORDER BY created_at LIMIT $3
	) p WHERE a.plan = $2 LIMIT $3)`
)

// DeleteOf deletes the uploads of some clicks, in the transaction of c.
func DeleteOf(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	return db.Run(ctx, c, "delete uploads", deleteOfClicks, db.UUIDs(clicks))
}

// DeleteExpired deletes at most `limit` uploads that were created before the given time, of the accounts on a plan. It returns the
// number of deleted uploads.
func DeleteExpired(ctx context.Context, c db.Conn, plan string, before time.Time, limit int) (int, error) {
	n, err := db.Exec(ctx, c, "forget uploads", deleteExpired, before, plan, limit)
	return int(n), err
}
