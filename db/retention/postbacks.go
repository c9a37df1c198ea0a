package retention

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/db/oldtracker"
	"switchyard/db/sourcepostback"
	"switchyard/db/upload"
	"switchyard/models"
)

const selectPostbacksOf = `SELECT id FROM postbacks WHERE click_id = ANY ($1::uuid[]) ORDER BY id`

// clearPostbacks deletes the postbacks of clicks in the transaction of c. Call it before the clicks are locked: jobs lock a
// postback and then its click.
func clearPostbacks(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	ids, err := db.Select[uuid.UUID](ctx, c, "postbacks of clicks", selectPostbacksOf, db.UUIDs(clicks))
	if err != nil || len(ids) == 0 {
		return err
	}
	return deletePostbacks(ctx, c, ids)
}

const deleteLocked = `
WITH locked AS MATERIALIZED (SELECT id FROM postbacks WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE)
DELETE FROM postbacks USING locked WHERE postbacks.id = locked.id`

// deletePostbacks deletes postbacks and their jobs in the transaction of c. A worker that is running such a job cannot commit its
// effect.
func deletePostbacks(ctx context.Context, c db.Conn, ids []uuid.UUID) error {
	if err := jobrow.Delete(ctx, c, ids, models.KindRecordConversion); err != nil {
		return err
	}
	return db.Run(ctx, c, "delete postbacks", deleteLocked, db.UUIDs(ids))
}

const postbacksAtOnce = 2000

// These queries return postbacks to delete: old postbacks of accounts on a plan, old postbacks without an account, postbacks of
// clicks before an id, and postbacks before an id.
const (
	selectOldPostbacks = `
SELECT p.id FROM accounts a CROSS JOIN LATERAL (
	SELECT id FROM postbacks WHERE account_id = a.id AND received_at < $1 ORDER BY received_at LIMIT $3
) p WHERE a.plan = $2 LIMIT $3`

	selectOldPostbacksWithoutAccount = `
SELECT id FROM postbacks WHERE account_id = '00000000-0000-0000-0000-000000000000' AND received_at < $1
ORDER BY received_at LIMIT $2`

	selectPostbacksBefore = `
SELECT id FROM postbacks WHERE click_id > '00000000-0000-0000-0000-000000000000' AND click_id < $1
ORDER BY click_id LIMIT $2`

	selectAncientPostbacks = `SELECT id FROM postbacks WHERE id < $1 ORDER BY id LIMIT $2`
)

// deleteExpiredPostbacks deletes received postbacks, postbacks to traffic sources and postbacks to old trackers that are older
// than the account's plan allows, with their jobs. It also deletes old postbacks that have no account or a deleted one, and uploads
// older than models.UploadDays. It returns how many rows it deleted, without the jobs.
func deleteExpiredPostbacks(ctx context.Context, c db.Conn, now time.Time) (total int, err error) {
	repeat := func(deleteOnce func() (int, error)) {
		for n := postbacksAtOnce; err == nil && n == postbacksAtOnce; total += n {
			n, err = deleteOnce()
		}
	}
	deleteAll := func(query string, args ...any) {
		repeat(func() (int, error) { return deletePostbacksOnce(ctx, c, query, append(args, postbacksAtOnce)...) })
	}
	for _, p := range models.Plans {
		before := now.AddDate(0, 0, -p.PostbackDays)
		deleteAll(selectOldPostbacks, before, p.Name)
		repeat(func() (int, error) { return sourcepostback.DeleteExpired(ctx, c, p.Name, before, postbacksAtOnce) })
		repeat(func() (int, error) { return oldtracker.DeleteExpired(ctx, c, p.Name, before, postbacksAtOnce) })
		repeat(func() (int, error) {
			return upload.DeleteExpired(ctx, c, p.Name, now.AddDate(0, 0, -models.UploadDays), postbacksAtOnce)
		})
	}
	deleteAll(selectOldPostbacksWithoutAccount, now.AddDate(0, 0, -models.StrangersPostbackDays))
	// The rest belongs to deleted accounts. The id of a postback is a UUIDv7 like the id of a click.
	deleteAll(selectAncientPostbacks, models.FloorClickID(now.AddDate(0, 0, -models.LongestPostbacks())))
	return total, err
}

func deletePostbacksOnce(ctx context.Context, c db.Conn, query string, args ...any) (int, error) {
	ids, err := db.Select[uuid.UUID](ctx, c, "old postbacks", query, args...)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), db.Tx(ctx, c, func(c db.Conn) error { return deletePostbacks(ctx, c, ids) })
}
