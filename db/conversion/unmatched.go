package conversion

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

const countUnmatched = `
SELECT count(*) FROM (
	SELECT FROM postbacks WHERE account_id = $1 AND outcome = 'unmatched' AND received_at >= $2 LIMIT $3
) p`

// CountUnmatched counts the postbacks without a click that an account has received since a time, up to limit.
func CountUnmatched(ctx context.Context, c db.Conn, account uuid.UUID, since time.Time, limit int) (int, error) {
	return db.Get[int](ctx, c, "count unmatched postbacks", countUnmatched, account, since, limit)
}
