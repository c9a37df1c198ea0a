package sourcepostback

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

const (
	selectOfClicks = `SELECT id FROM source_postbacks WHERE click_id = ANY ($1::uuid[]) ORDER BY id`

	selectOld = `
SELECT p.id FROM accounts a CROSS JOIN LATERAL (
	SELECT id FROM source_postbacks WHERE account_id = a.id AND created_at < $1 ORDER BY created_at LIMIT $3
) p WHERE a.plan = $2 LIMIT $3`

	deletePostbacks = `DELETE FROM source_postbacks WHERE id = ANY ($1::uuid[])`

	// A success resets the failures at a host. A host that a source no longer uses has no more successes, so
	// deleteExpiredFailures deletes its failures by age.
	deleteExpiredFailures = `
DELETE FROM source_failures f USING accounts a WHERE a.id = f.account_id AND a.plan = $2 AND f.failing_since < $1`
)

// DeleteOf deletes the postbacks of some clicks with their jobs, in the transaction of c. The caller must have locked the
// clicks, so that no postback is added at the same time.
func DeleteOf(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	ids, err := db.Select[uuid.UUID](ctx, c, "postbacks of clicks", selectOfClicks, db.UUIDs(clicks))
	if err != nil {
		return err
	}
	return remove(ctx, c, ids)
}

// DeleteExpired deletes data of accounts on a plan: at most limit postbacks that were created before the given time, with their
// jobs, and the counts of consecutive failures that began before that time.
func DeleteExpired(ctx context.Context, c db.Conn, plan string, before time.Time, limit int) (int, error) {
	if err := db.Run(ctx, c, "old failures of sources", deleteExpiredFailures, before, plan); err != nil {
		return 0, err
	}
	var ids []uuid.UUID
	err := db.Tx(ctx, c, func(c db.Conn) (err error) {
		if ids, err = db.Select[uuid.UUID](ctx, c, "old postbacks", selectOld, before, plan, limit); err != nil {
			return err
		}
		return remove(ctx, c, ids)
	})
	return len(ids), err
}

// remove deletes postbacks with their jobs. It deletes the jobs first, because a worker also locks its job before its postback.
func remove(ctx context.Context, c db.Conn, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	if err := jobrow.Delete(ctx, c, ids, models.KindSendPostback); err != nil {
		return err
	}
	return db.Run(ctx, c, "delete postbacks", deletePostbacks, db.UUIDs(ids))
}
