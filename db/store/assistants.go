package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
)

// AssistantUses accesses the counts of changes that assistants make.
type AssistantUses struct{ s *Store }

// AssistantUses returns access to the counts.
func (s *Store) AssistantUses() AssistantUses { return AssistantUses{s} }

// UseLimit limits how often a subject (a key or a record) may be used within a span of time. The span begins with the first use.
type UseLimit struct {
	Subject uuid.UUID
	Most    int
	Span    time.Duration
}

const (
	useSubject = `INSERT INTO assistant_uses AS u (account_id, subject, used, since) VALUES ($1, $2, 1, $3)
ON CONFLICT (account_id, subject) DO UPDATE SET
	used = CASE WHEN u.since <= $4 THEN 1 ELSE u.used + 1 END, since = CASE WHEN u.since <= $4 THEN $3 ELSE u.since END
WHERE u.since <= $4 OR u.used < $5
RETURNING used`
	releaseSubject   = `UPDATE assistant_uses SET used = greatest(used - 1, 0) WHERE account_id = $1 AND subject = $2`
	deleteExpiredUse = `DELETE FROM assistant_uses WHERE account_id = $1 AND since < $2`
	useRetention     = 48 * time.Hour
)

// Reserve counts one use of each subject. If any limit is reached, it counts no use and returns the first limit that is reached.
func (a AssistantUses) Reserve(ctx context.Context, account uuid.UUID, now time.Time, limits ...UseLimit) (reached *UseLimit, err error) {
	err = a.s.Tx(ctx, func(tx *Store) error {
		if err := tx.run(ctx, "old uses", deleteExpiredUse, account, now.Add(-useRetention)); err != nil {
			return err
		}
		for i, l := range limits {
			_, ok, err := db.First[int](ctx, tx.c, "use", useSubject, account, l.Subject, now, now.Add(-l.Span), l.Most)
			if err == nil && (!ok || l.Most < 1) {
				reached = &limits[i]
				err = errReached
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if reached != nil {
		err = nil // the transaction was rolled back, so nothing is counted
	}
	return reached, err
}

var errReached = models.Conflict("reached", "a limit is reached")

// Release takes back one counted use of each subject, for a change that was not made after all.
func (a AssistantUses) Release(ctx context.Context, account uuid.UUID, subjects ...uuid.UUID) error {
	for _, id := range subjects {
		if err := a.s.run(ctx, "use", releaseSubject, account, id); err != nil {
			return err
		}
	}
	return nil
}
