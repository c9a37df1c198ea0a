// Package oldtracker stores the tracker that an account moved from, the postbacks that are forwarded to it, and the ids that
// imported clicks and conversions have there. Each forwarded postback has a job with the same id.
package oldtracker

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// Settings are the old tracker of an account. If URL is empty, no postbacks are forwarded.
type Settings struct {
	Tracker string `db:"old_tracker"`     // a constant of package foreign
	URL     string `db:"old_tracker_url"` // if it has neither a path nor a query, a postback is forwarded to the path at which it arrived here
}

const (
	selectSettings = `SELECT old_tracker, old_tracker_url FROM accounts WHERE id = $1`
	saveSettings   = `UPDATE accounts SET old_tracker = $2, old_tracker_url = $3 WHERE id = $1 AND (old_tracker, old_tracker_url) <> ($2, $3)`
)

// Find returns the settings of an account.
func Find(ctx context.Context, c db.Conn, account uuid.UUID) (Settings, error) {
	return db.Get[Settings](ctx, c, "account", selectSettings, account)
}

// Save saves the settings of an account.
func Save(ctx context.Context, c db.Conn, account uuid.UUID, s Settings) error {
	return db.Run(ctx, c, "save old tracker", saveSettings, account, s.Tracker, s.URL)
}

// A host that another account has added but not verified is not served here.
const isOurs = `
SELECT EXISTS (SELECT FROM domains WHERE lower(host) = lower($2) AND (account_id IS NULL OR is_verified OR account_id = $1))`

// IsOurs reports whether a host is a domain of this service. A postback that is forwarded to such a host would come back.
func IsOurs(ctx context.Context, c db.Conn, account uuid.UUID, host string) (bool, error) {
	return db.Get[bool](ctx, c, "domain", isOurs, account, host)
}

var insertForwarded = `
WITH fresh AS (
	INSERT INTO forwarded_postbacks (id, account_id, postback_id, request)
	SELECT new_id(), a.id, p.id, p.request FROM unnest($1::uuid[], $2::uuid[], $3::bytea[]) AS p (id, account_id, request)
	JOIN accounts a ON a.id = p.account_id
	ON CONFLICT (postback_id) DO NOTHING
	RETURNING id, account_id
), job AS (` + jobrow.InsertFrom("fresh", `'`+models.KindForwardPostback+`'`, "NULL") + `)
SELECT '` + models.KindForwardPostback + `' AS kind, id, account_id FROM fresh`

// Add stores which of the given postbacks are to be forwarded. Call it in the transaction that stores the postbacks. A postback that
// was added before is not forwarded again. The caller dispatches the jobs after the commit.
func Add(ctx context.Context, c db.Conn, list []*models.Postback) ([]models.JobRef, error) {
	var ids, accounts []uuid.UUID
	var requests pq.ByteaArray
	for _, p := range list {
		if len(p.Forward) > 0 {
			ids, accounts, requests = append(ids, p.ID), append(accounts, p.AccountID), append(requests, p.Forward)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return db.Select[models.JobRef](ctx, c, "forward postbacks", insertForwarded, db.UUIDs(ids), db.UUIDs(accounts), requests)
}

// Forwarded is a postback for the old tracker.
type Forwarded struct {
	ID         uuid.UUID `db:"id"`
	AccountID  uuid.UUID `db:"account_id"`
	PostbackID uuid.UUID `db:"postback_id"`
	Request    []byte    `db:"request"` // encrypted
	Result     string    `db:"result"`
	Settings
}

const selectForwarded = `
SELECT f.id, f.account_id, f.postback_id, coalesce(f.request, '') AS request, f.result, a.old_tracker, a.old_tracker_url
FROM forwarded_postbacks f JOIN accounts a ON a.id = f.account_id WHERE f.id = $1`

// FindForwarded returns a forwarded postback, with the account's settings.
func FindForwarded(ctx context.Context, c db.Conn, id uuid.UUID) (Forwarded, error) {
	return db.Get[Forwarded](ctx, c, "postback", selectForwarded, id)
}

// States of a forwarded postback.
const (
	Pending = "pending"
	Sent    = "sent"
	Failed  = "failed"  // the last attempt has failed
	Skipped = "skipped" // it cannot be forwarded any more
)

// Attempt is the result of an attempt to forward a postback.
type Attempt struct {
	Result string
	Number int
	Status *int   // status of the answer; nil: no answer came
	Reason string // text for people; empty if the postback was sent
}

// The request may contain secrets and personal data, so it is deleted after the last attempt.
const recordAttempt = `
UPDATE forwarded_postbacks SET result = $2, attempts = $3, http_status = $4, reason = left($5, 500),
	request = CASE WHEN $2 = 'pending' THEN request END, sent_at = CASE WHEN $2 = 'sent' THEN clock_timestamp() END
WHERE id = $1 AND result = 'pending'`

// Record records an attempt. Call it in the transaction that ends the job's attempt.
func Record(ctx context.Context, c db.Conn, id uuid.UUID, a Attempt) error {
	return db.Run(ctx, c, "record forwarded postback", recordAttempt, id, a.Result, a.Number, a.Status, a.Reason)
}

// Day has the numbers of an account's postbacks on a day of its time zone.
type Day struct {
	Day     string `db:"day"`
	Known   int64  `db:"known"`   // postbacks that name a click of this service
	SentOn  int64  `db:"sent"`    // postbacks that were forwarded, and that the old tracker accepted
	Waiting int64  `db:"waiting"` // postbacks that wait to be forwarded
	Failed  int64  `db:"failed"`  // postbacks that the old tracker did not accept, or that are no longer forwarded
	Unknown int64  `db:"unknown"` // postbacks that name no known click and are not forwarded
}

const selectDays = `
SELECT to_char(p.received_at AT TIME ZONE a.timezone, 'YYYY-MM-DD') AS day,
	count(*) FILTER (WHERE p.campaign_id IS NOT NULL) AS known, count(*) FILTER (WHERE f.result = 'sent') AS sent,
	count(*) FILTER (WHERE f.result = 'pending') AS waiting, count(*) FILTER (WHERE f.result IN ('failed', 'skipped')) AS failed,
	count(*) FILTER (WHERE p.outcome = 'unmatched' AND p.campaign_id IS NULL AND f.id IS NULL) AS unknown
FROM postbacks p JOIN accounts a ON a.id = p.account_id LEFT JOIN forwarded_postbacks f ON f.postback_id = p.id
WHERE p.account_id = $1 AND p.received_at >= $2 AND p.received_at < $3 AND p.source IN ('` + models.FromPostback + `', '` + models.FromPixel + `')
GROUP BY 1 ORDER BY 1 DESC`

// Days counts, for each day, the postbacks of an account that arrived in [from, to), the newest day first. Days without postbacks
// are left out.
func Days(ctx context.Context, c db.Conn, account uuid.UUID, from, to time.Time) ([]Day, error) {
	return db.Select[Day](ctx, c, "count postbacks", selectDays, account, from, to)
}

const (
	selectOld = `
SELECT f.id FROM accounts a CROSS JOIN LATERAL (
	SELECT id FROM forwarded_postbacks WHERE account_id = a.id AND created_at < $1 ORDER BY created_at LIMIT $3
) f WHERE a.plan = $2 LIMIT $3`

	deleteForwarded = `DELETE FROM forwarded_postbacks WHERE id = ANY ($1::uuid[])`
)

// DeleteExpired deletes forwarded postbacks that are older than the given time, with their jobs. It does so only for accounts on the
// given plan. The parameter limit is the maximum number of postbacks. DeleteExpired returns how many it deleted.
func DeleteExpired(ctx context.Context, c db.Conn, plan string, before time.Time, limit int) (int, error) {
	ids, err := db.Select[uuid.UUID](ctx, c, "old forwarded postbacks", selectOld, before, plan, limit)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return len(ids), db.Tx(ctx, c, func(c db.Conn) error {
		if err := jobrow.Delete(ctx, c, ids, models.KindForwardPostback); err != nil {
			return err
		}
		return db.Run(ctx, c, "delete forwarded postbacks", deleteForwarded, db.UUIDs(ids))
	})
}
