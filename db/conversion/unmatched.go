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

// CountUnmatched counts the postbacks of an account that arrived since a time and found no click. It counts at most limit of them.
func CountUnmatched(ctx context.Context, c db.Conn, account uuid.UUID, since time.Time, limit int) (int, error) {
	return db.Get[int](ctx, c, "count unmatched postbacks", countUnmatched, account, since, limit)
}
