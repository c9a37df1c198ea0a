// Package idempotency stores the requests that carried an idempotency key, and their answers.
package idempotency

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/models"
)

// Attempts stores the attempts of requests and their answers.
type Attempts struct{ s *store.Store }

// New returns Attempts in a store.
func New(s *store.Store) Attempts { return Attempts{s} }

// Attempt is a request that carries an idempotency key.
type Attempt struct {
	Account     uuid.UUID
	Key         string
	Fingerprint []byte // hash of method, path, query and body
	Allowance   int64  // maximum number of bytes of answers stored for the account
}

// Stored is the first answer to an Attempt.
type Stored struct {
	Status int
	Answer []byte    // nil: the answer was not stored
	ID     uuid.UUID // the id from Lease, which is the id of the job if the call waited for a job
}

const maxStoredAnswer = 64 << 10

// The errors of Begin.
var (
	ErrInProgress = models.Conflict("idempotency_in_progress", "the first request with this Idempotency-Key is still running")
	errKeyReused  = models.Errorf(models.KindUnprocessable, "idempotency_key_reused",
		"this Idempotency-Key was used with a different request")
)

func (a Attempt) place() seal.Place {
	return seal.Place{Account: a.Account, Table: "idempotency_keys", Row: a.Key, Column: "answer"}
}

const lockAttempt = `SELECT pg_try_advisory_xact_lock(hashtextextended($1, 7302))`

const findAttempt = `
SELECT fingerprint, status, answer, coalesce(lease_until > now(), false) AS running, created_at
FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND created_at > now() - interval '24 hours'`

// Begin locks the key until the transaction ends. It returns the stored answer of an earlier attempt, or nil if this
// attempt must run. Errors: ErrInProgress if another attempt is running, errKeyReused if the key was used with a different
// request.
func (k Attempts) Begin(ctx context.Context, a Attempt) (*Stored, error) {
	locked, err := db.Get[bool](ctx, k.s.Conn(), "idempotency lock", lockAttempt, a.Account.String()+"|"+a.Key)
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, ErrInProgress
	}
	row, found, err := db.First[struct {
		Fingerprint []byte    `db:"fingerprint"`
		Status      *int      `db:"status"`
		Answer      []byte    `db:"answer"`
		Running     bool      `db:"running"`
		CreatedAt   time.Time `db:"created_at"`
	}](ctx, k.s.Conn(), "idempotency", findAttempt, a.Account, a.Key)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, nil //nolint:nilnil // a first attempt is no error
	case !bytes.Equal(row.Fingerprint, a.Fingerprint):
		return nil, errKeyReused
	case row.Status == nil && row.Running:
		return nil, ErrInProgress
	case row.Status == nil:
		return nil, nil //nolint:nilnil // the first attempt died without an answer
	}
	out := &Stored{Status: *row.Status, ID: a.id(row.CreatedAt)}
	if row.Answer == nil {
		return out, nil
	}
	if out.Answer, err = k.s.Box().Open(ctx, a.place(), row.Answer); err != nil {
		return nil, fmt.Errorf("db: idempotency answer: %w", err)
	}
	return out, nil
}

// id returns an id that is the same for all attempts with the same account, key and creation time.
func (a Attempt) id(since time.Time) uuid.UUID {
	return uuid.NewSHA1(a.Account, fmt.Appendf(nil, "%d|%s", since.UnixMicro(), a.Key))
}

const upsertAttempt = `
INSERT INTO idempotency_keys (account_id, key, fingerprint, status, answer, lease_until)
VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
    answer = excluded.answer, lease_until = excluded.lease_until,
    created_at = CASE WHEN idempotency_keys.status IS NULL
                       AND idempotency_keys.created_at > now() - interval '24 hours'
                      THEN idempotency_keys.created_at ELSE now() END
RETURNING created_at`

// sumStored adds up the sizes of the answers of the last 24 hours, including the present hour.
const sumStored = `SELECT coalesce(sum(bytes), 0)::bigint FROM kept_answers WHERE account_id = $1 AND hour > now() - interval '25 hours'`

const addStored = `
INSERT INTO kept_answers (account_id, hour, bytes) VALUES ($1, date_trunc('hour', now()), $2)
ON CONFLICT (account_id, hour) DO UPDATE SET bytes = kept_answers.bytes + excluded.bytes`

// Save stores the answer for 24 hours. Call it in the transaction of the request's effect, so that both commit or neither
// does. An answer is not stored if it is larger than 64 kB, or if the account's answers would exceed the allowance with it. The
// status is always stored, so that the request does not run again.
func (k Attempts) Save(ctx context.Context, a Attempt, answer Stored) error {
	sealed, err := k.sealAnswer(ctx, a, answer)
	if err != nil {
		return err
	}
	return db.Run(ctx, k.s.Conn(), "save idempotency answer", upsertAttempt, a.Account, a.Key, a.Fingerprint, answer.Status, sealed,
		nil)
}

// sealAnswer seals an answer and adds its size to the account's sum. It returns nil if the answer is not stored.
func (k Attempts) sealAnswer(ctx context.Context, a Attempt, answer Stored) ([]byte, error) {
	if len(answer.Answer) > maxStoredAnswer {
		return nil, nil
	}
	kept, err := db.Get[int64](ctx, k.s.Conn(), "kept answers", sumStored, a.Account)
	if err != nil || kept+int64(len(answer.Answer)) > a.Allowance {
		return nil, err
	}
	sealed, err := k.s.Box().SealForService(ctx, a.place(), answer.Answer)
	if err != nil {
		return nil, err
	}
	err = db.Run(ctx, k.s.Conn(), "count kept answer", addStored, a.Account, len(sealed))
	return sealed, err
}

// Lease marks the attempt as running, for a request that cannot run in a single transaction. Calling it again renews the
// lease. When the lease has expired, the next attempt may run. The returned id is the same for every attempt within 24 hours,
// until an attempt is saved or deleted.
func (k Attempts) Lease(ctx context.Context, a Attempt, lease time.Duration) (uuid.UUID, error) {
	since, err := db.Get[time.Time](ctx, k.s.Conn(), "lease idempotency key", upsertAttempt, a.Account, a.Key, a.Fingerprint, nil, nil,
		lease.Seconds())
	if err != nil {
		return uuid.Nil, err
	}
	return a.id(since), nil
}

// Delete deletes a leased attempt that has no answer to store, so that the next attempt runs at once.
func (k Attempts) Delete(ctx context.Context, a Attempt) error {
	const q = `DELETE FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND status IS NULL`
	return db.Run(ctx, k.s.Conn(), "drop idempotency key", q, a.Account, a.Key)
}

// DeleteExpired deletes attempts older than 24 hours and returns their number.
func (k Attempts) DeleteExpired(ctx context.Context) (int64, error) {
	const counted = `DELETE FROM kept_answers WHERE hour < now() - interval '25 hours'`
	if err := db.Run(ctx, k.s.Conn(), "prune counts of kept answers", counted); err != nil {
		return 0, err
	}
	const q = `DELETE FROM idempotency_keys WHERE created_at < now() - interval '24 hours'`
	return db.Exec(ctx, k.s.Conn(), "prune idempotency keys", q)
}
