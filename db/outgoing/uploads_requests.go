package outgoing

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

// CheckEvery is how long after a request, and after each question about it, a platform is asked what became of it.
const CheckEvery = 30 * time.Minute

// UploadRequest is a request with uploads that a platform has taken.
type UploadRequest struct {
	SourceID uuid.UUID `db:"source_id"`
	Request  string    `db:"request"`
	MadeAt   time.Time `db:"made_at"`
}

const (
	dueRequests = `SELECT source_id, request, made_at FROM upload_requests WHERE account_id = $1 AND source_id = $2 AND check_at <= $3
ORDER BY check_at LIMIT $4`

	checkLater = `UPDATE upload_requests SET check_at = $4 WHERE account_id = $1 AND source_id = $2 AND request = $3`

	endRequest = `DELETE FROM upload_requests WHERE account_id = $1 AND source_id = $2 AND request = $3`

	forgetRequests = `DELETE FROM upload_requests WHERE made_at < $1`

	// They were decided when the request was made.
	decideRequest = `
UPDATE conversion_uploads SET result = $4, reason = $5, request = ''
WHERE account_id = $1 AND source_id = $2 AND request = $3 AND result = 'accepted' AND decided_at >= $6`
)

// DueRequests lists requests about which a platform is to be asked, at most limit.
func DueRequests(ctx context.Context, c db.Conn, account, source uuid.UUID, now time.Time, limit int) ([]UploadRequest, error) {
	return db.Select[UploadRequest](ctx, c, "requests of uploads", dueRequests, account, source, now, limit)
}

// CheckLater has a platform asked about a request at a moment.
func CheckLater(ctx context.Context, c db.Conn, account uuid.UUID, r UploadRequest, at time.Time) error {
	_, err := db.Exec(ctx, c, "ask about uploads later", checkLater, account, r.SourceID, r.Request, at)
	return err
}

// EndRequest gives the uploads of a request the platform's last word. It returns how many there were.
func EndRequest(ctx context.Context, c db.Conn, account uuid.UUID, r UploadRequest, result, reason string) (int, error) {
	n, err := db.Exec(ctx, c, "outcome of uploads", decideRequest, account, r.SourceID, r.Request, result, Clean([]byte(reason)),
		r.MadeAt.Add(-time.Second))
	if err != nil {
		return 0, err
	}
	_, err = db.Exec(ctx, c, "end request of uploads", endRequest, account, r.SourceID, r.Request)
	return int(n), err
}

// ForgetRequests deletes requests that were made before a moment: of connections that were removed or stopped, nobody asks.
func ForgetRequests(ctx context.Context, c db.Conn, before time.Time) error {
	_, err := db.Exec(ctx, c, "forget requests of uploads", forgetRequests, before)
	return err
}
