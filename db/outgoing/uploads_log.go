package outgoing

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

func fmtColumns(query string) string { return fmt.Sprintf(query, uploadColumns) }

var listUploads = `SELECT ` + uploadColumns + ` FROM conversion_uploads u
WHERE u.account_id = $1 AND u.source_id = $2 ORDER BY u.created_at DESC, u.place DESC LIMIT $3`

// ListUploads lists the last uploads of a traffic source, newest first.
func ListUploads(ctx context.Context, c db.Conn, account, source uuid.UUID, limit int) ([]models.ConversionUpload, error) {
	return db.Select[models.ConversionUpload](ctx, c, "uploads", listUploads, account, source, limit)
}

const countUploads = `SELECT result, count(*) AS n FROM conversion_uploads
WHERE account_id = $1 AND source_id = $2 AND created_at >= $3 GROUP BY result`

// CountUploads counts the uploads of a traffic source that were created since the given time, by result.
func CountUploads(ctx context.Context, c db.Conn, account, source uuid.UUID, since time.Time) (map[string]int, error) {
	return db.Pairs[string, int](ctx, c, "count uploads", countUploads, account, source, since)
}

const (
	deleteUploadsOf = `DELETE FROM conversion_uploads WHERE click_id = ANY ($1::uuid[])`

	deleteOldUploads = `
DELETE FROM conversion_uploads WHERE id IN (
	SELECT p.id FROM accounts a CROSS JOIN LATERAL (
		SELECT id FROM conversion_uploads WHERE account_id = a.id AND created_at < $1 ORDER BY created_at LIMIT $3
	) p WHERE a.plan = $2 LIMIT $3)`
)

// ForgetUploads deletes at most limit uploads of accounts on a plan that were created before the given time. It returns their
// number.
func ForgetUploads(ctx context.Context, c db.Conn, plan string, before time.Time, limit int) (int, error) {
	n, err := db.Exec(ctx, c, "forget uploads", deleteOldUploads, before, plan, limit)
	return int(n), err
}
