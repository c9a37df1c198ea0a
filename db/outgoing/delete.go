package outgoing

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

	// Those of accounts on a plan that were made before a moment.
	selectOld = `
SELECT p.id FROM accounts a CROSS JOIN LATERAL (
	SELECT id FROM source_postbacks WHERE account_id = a.id AND created_at < $1 ORDER BY created_at LIMIT $3
) p WHERE a.plan = $2 LIMIT $3`

	deletePostbacks = `DELETE FROM source_postbacks WHERE id = ANY ($1::uuid[])`

	// Hosts that a source has no more stay failing.
	deleteOldFailures = `
DELETE FROM source_failures f USING accounts a WHERE a.id = f.account_id AND a.plan = $2 AND f.failing_since < $1`
)

// DeleteOf deletes, in the transaction of c, the postbacks of some clicks with their jobs, and their uploads. The clicks are locked, so that
// no other is added meanwhile.
func DeleteOf(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	ids, err := db.Select[uuid.UUID](ctx, c, "postbacks of clicks", selectOfClicks, db.UUIDs(clicks))
	if err != nil {
		return err
	}
	if _, err := db.Exec(ctx, c, "delete uploads", deleteUploadsOf, db.UUIDs(clicks)); err != nil {
		return err
	}
	return remove(ctx, c, ids)
}

// Forget deletes postbacks that were made before a moment, with their jobs: at most limit, of accounts on a plan. It
// returns how many. Failures in a row that began before are forgotten too.
func Forget(ctx context.Context, c db.Conn, plan string, before time.Time, limit int) (int, error) {
	if _, err := db.Exec(ctx, c, "old failures of sources", deleteOldFailures, before, plan); err != nil {
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

// remove deletes the jobs first, as a worker locks its job before its postback.
func remove(ctx context.Context, c db.Conn, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	if err := jobrow.Delete(ctx, c, ids, models.KindSendPostback); err != nil {
		return err
	}
	_, err := db.Exec(ctx, c, "delete postbacks", deletePostbacks, db.UUIDs(ids))
	return err
}
