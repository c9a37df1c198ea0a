package upload

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// CheckEvery is the time before the first query for a request's outcome, and between two queries.
const CheckEvery = 30 * time.Minute

// Request is a request with uploads that a platform has accepted, but whose outcome is not known yet.
type Request struct {
	SourceID uuid.UUID `db:"source_id"`
	Request  string    `db:"request"`
	MadeAt   time.Time `db:"made_at"`
}

const (
	dueRequests = `SELECT source_id, request, made_at FROM upload_requests WHERE account_id = $1 AND source_id = $2 AND check_at <= $3
ORDER BY check_at LIMIT $4`

	checkLater = `UPDATE upload_requests SET check_at = $4 WHERE account_id = $1 AND source_id = $2 AND request = $3`

	endRequest = `DELETE FROM upload_requests WHERE account_id = $1 AND source_id = $2 AND request = $3`

	deleteExpiredRequests = `DELETE FROM upload_requests WHERE made_at < $1`

	// decideRequest applies the outcome of a request to the request's uploads. They have counted as accepted since the request
	// was sent. An upload is not sent again if the platform has already decided a later upload of the same conversion. The
	// platform has kept no upload of a rejected request, so its uploads count as never tried if they are sent again.
	decideRequest = `
UPDATE conversion_uploads u SET reason = $5, request = '',
	result = CASE WHEN k.again THEN 'pending' WHEN $7 AND u.action = 'upload' THEN 'accepted' ELSE $4 END,
	next_at = CASE WHEN k.again THEN $8::timestamptz ELSE u.next_at END, decided_at = CASE WHEN k.again THEN NULL ELSE u.decided_at END,
	attempts = CASE WHEN k.again AND $4 = 'rejected' THEN 0 ELSE u.attempts END
FROM (
	SELECT d.id, $8::timestamptz IS NOT NULL AND NOT EXISTS (SELECT FROM conversion_uploads e
		WHERE e.conversion_id = d.conversion_id AND e.place > d.place AND e.result IN ('accepted', 'rejected') AND e.request = '') AS again
	FROM conversion_uploads d
	WHERE d.account_id = $1 AND d.source_id = $2 AND d.request = $3 AND d.result = 'accepted' AND d.decided_at >= $6
) k WHERE u.id = k.id RETURNING u.result`
)

// ListDueRequests lists the requests whose outcome can be queried now. limit is the maximum length of the list.
func ListDueRequests(ctx context.Context, c db.Conn, account, source uuid.UUID, now time.Time, limit int) ([]Request, error) {
	return db.Select[Request](ctx, c, "requests of uploads", dueRequests, account, source, now, limit)
}

// CheckLater sets the time at which the platform is next queried about a request.
func CheckLater(ctx context.Context, c db.Conn, account uuid.UUID, r Request, at time.Time) error {
	return db.Run(ctx, c, "time of the next query about uploads", checkLater, account, r.SourceID, r.Request, at)
}

// RequestOutcome is the platform's final answer about a request.
type RequestOutcome struct {
	Result string // models.UploadAccepted or UploadRejected
	Reason string
	Known  bool      // the platform already had these conversions: an upload with the action upload counts as accepted
	Again  time.Time // when the uploads are sent again; zero: never
}

// EndRequest applies the platform's final answer to the uploads of a request. It returns the number of uploads by result.
func EndRequest(ctx context.Context, c db.Conn, account uuid.UUID, r Request, o RequestOutcome) (map[string]int, error) {
	list, err := db.Select[string](ctx, c, "outcome of uploads", decideRequest, account, r.SourceID, r.Request, o.Result,
		models.AnswerText([]byte(o.Reason)), r.MadeAt.Add(-time.Second), o.Known, sql.NullTime{Time: o.Again, Valid: !o.Again.IsZero()})
	if err != nil {
		return nil, err
	}
	n := map[string]int{}
	for _, result := range list {
		n[result]++
	}
	err = db.Run(ctx, c, "end request of uploads", endRequest, account, r.SourceID, r.Request)
	return n, err
}

// DeleteExpiredRequests deletes requests that were made before the given time. They are left over when a connection is removed or
// stopped.
func DeleteExpiredRequests(ctx context.Context, c db.Conn, before time.Time) error {
	return db.Run(ctx, c, "forget requests of uploads", deleteExpiredRequests, before)
}
