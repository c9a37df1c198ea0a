package sourcepostback

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// Attempt is the result of an attempt to send a postback.
type Attempt struct {
	Number   int
	At       time.Time
	Took     time.Duration
	Origin   string // scheme, host and port to which the postback was sent
	Request  models.SentRequest
	Accepted bool
	Stopped  bool   // the source wants no more postbacks: no attempt follows, and the attempt is not counted as a failure of the host
	Final    bool   // no attempt follows
	Status   *int   // status of the answer; nil if no answer came
	Answer   []byte // the beginning of the answer's body
	Error    string // for the customer; empty if the source accepted the postback
}

// An accepted postback keeps the result "told" when it is sent again, even if the new attempt fails.
const recordAttempt = `
UPDATE source_postbacks SET attempts = $2, request = $3, http_status = $4, answer = $5, reason = $6,
	result = CASE WHEN $7 THEN 'told' WHEN result = 'told' THEN result WHEN $8 THEN 'failed' ELSE 'pending' END,
	tries = CASE WHEN jsonb_array_length(tries) >= $9 THEN tries - 0 ELSE tries END || $10::jsonb,
	last_attempt = $11, told_at = CASE WHEN $7 THEN coalesce(told_at, clock_timestamp()) ELSE told_at END
WHERE id = $1`

const (
	countFailure = `
INSERT INTO source_failures AS f (source_id, origin, account_id) VALUES ($1, $2, $3)
ON CONFLICT (source_id, origin) DO UPDATE SET failures = f.failures + 1`

	deleteFailures = `DELETE FROM source_failures WHERE source_id = $1 AND origin = $2`
)

// RecordAttempt records an attempt in its postback and in the failure count of the host. Call it in the transaction that ends
// the job's attempt.
func RecordAttempt(ctx context.Context, c db.Conn, t Target, a Attempt) error {
	try := models.SentTry{
		At: a.At.UTC().Format(models.EventTimeFormat), HTTPStatus: a.Status, Error: a.Error, MS: a.Took.Milliseconds(),
	}
	err := db.Run(ctx, c, "mark postback", recordAttempt, t.ID, a.Number, db.Document(a.Request), a.Status, models.AnswerText(a.Answer),
		a.Error, a.Accepted, a.Final, models.MaxTries, db.Document(try), a.At)
	if err != nil {
		return err
	}
	switch {
	case a.Accepted:
		err = db.Run(ctx, c, "forget failures of source", deleteFailures, t.SourceID, a.Origin)
	case !a.Stopped && a.Origin != "":
		err = db.Run(ctx, c, "count failure of source", countFailure, t.SourceID, a.Origin, t.AccountID)
	}
	return err
}

const skipPostback = `
UPDATE source_postbacks SET result = 'skipped', reason = $2 WHERE id = $1 AND result = 'pending'`

// Skip ends a pending postback without sending it, with a reason that the customer sees.
func Skip(ctx context.Context, c db.Conn, id uuid.UUID, why string) error {
	return db.Run(ctx, c, "skip postback", skipPostback, id, why)
}
