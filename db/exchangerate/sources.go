package exchangerate

import (
	"context"
	"time"

	"switchyard/db"
)

// Source is the state of a source of rates: the time of its next fetch and the result of the last one.
type Source struct {
	Name     string     `db:"source" json:"source"`
	NextAt   time.Time  `db:"next_at" json:"next_at"`
	AskedAt  *time.Time `db:"asked_at" json:"asked_at"`
	Failures int        `db:"failures" json:"failures"` // consecutive
	Failure  string     `db:"failure" json:"failure"`   // empty: none
}

const claimSource = `
INSERT INTO rate_sources AS s (source, next_at) VALUES ($1, $3)
ON CONFLICT (source) DO UPDATE SET next_at = excluded.next_at WHERE s.next_at <= $2
RETURNING source, next_at, asked_at, failures, failure`

// ClaimSource claims a source that is due. It sets the time of the source's next fetch to `later`, so that no other caller can claim
// the source before then. It returns false if the source is not due.
func ClaimSource(ctx context.Context, c db.Conn, source string, now, later time.Time) (Source, bool, error) {
	return db.First[Source](ctx, c, "claim source of rates", claimSource, source, now, later)
}

const recordFetch = `
UPDATE rate_sources SET asked_at = $2, next_at = $3, failure = left($4, 500), failures = CASE WHEN $4 = '' THEN 0 ELSE failures + 1 END
WHERE source = $1`

// RecordFetch stores the result of a fetch and the time of the next one. An empty failure means success.
func RecordFetch(ctx context.Context, c db.Conn, source, failure string, now, next time.Time) error {
	return db.Run(ctx, c, "record fetch of rates", recordFetch, source, now, next, failure)
}

// Sources lists the sources that were claimed at least once.
func Sources(ctx context.Context, c db.Conn) ([]Source, error) {
	return db.Select[Source](ctx, c, "sources of rates",
		`SELECT source, next_at, asked_at, failures, failure FROM rate_sources ORDER BY source`)
}
