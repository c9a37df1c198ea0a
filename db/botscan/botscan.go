package botscan

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/bot"
)

const (
	// scanDelay is the minimum age of a click when it is scanned. By then the page tag has had bot.TagWait to send its event, and
	// the ingesters have usually stored all earlier records.
	scanDelay = bot.TagWait + 10*time.Second
	// storedLate is the minimum age at which a newly stored click counts as late, because a scan may already have passed its
	// time. It is 15 seconds less than scanDelay, because clocks may differ.
	storedLate = scanDelay - 15*time.Second
	// scanReach is the time that a scan looks back. A click that is stored more than scanReach after its time is not scanned. A
	// recheck whose click has not arrived is kept for the same time.
	scanReach = 48 * time.Hour
	// firstScan is the time that the first scan of an account looks back.
	firstScan = time.Hour
	// repeatRetention is the time for which repeated clicks are stored.
	repeatRetention = bot.RepeatWindow + 2*time.Hour
	// deletedAtOnce is the number of old rows that one statement of DeleteExpired deletes.
	deletedAtOnce = 10_000
)

// Progress is the progress of an account's scan. The scan looks for signals that show only after the click.
type Progress struct {
	AccountID uuid.UUID `db:"account_id"`
	After     uuid.UUID `db:"scanned_after"` // the scan continues with the clicks after this id
	Revision  int64     `db:"revision"`      // counts the moves of the scan; a late click moves it back, and Advance notices this
}

// markBehind marks the accounts with clicks since the last sweep, and the accounts with requested rechecks. One query for each
// account would be too slow.
const markBehind = `
INSERT INTO bot_scans AS s (account_id, scanned_after, behind)
SELECT a.id, $3, true FROM accounts a WHERE a.id IN (
	SELECT account_id FROM clicks WHERE id >= $1 AND id < $2 UNION SELECT account_id FROM bot_rechecks
) ORDER BY a.id
ON CONFLICT (account_id) DO UPDATE SET behind = true WHERE NOT s.behind`

// The row is locked, so that only one sweep runs at a time.
const (
	selectSwept = `SELECT greatest(swept_to, $1) FROM bot_sweeps FOR UPDATE`
	updateSwept = `UPDATE bot_sweeps SET swept_to = $1`
	insertSwept = `INSERT INTO bot_sweeps (swept_to) VALUES ($1)`
)

// If a worker dies, its lease expires, and the account is listed again.
const selectWaitingScans = `
SELECT account_id FROM bot_scans WHERE behind AND leased_until IS NULL OR leased_until < now() ORDER BY account_id`

// Waiting returns the accounts whose clicks have to be scanned and that no worker has claimed.
func Waiting(ctx context.Context, l click.Log) ([]uuid.UUID, error) {
	err := db.RetryConflicts(func() error { return db.Tx(ctx, l.Conn, func(c db.Conn) error { return markNewClicks(ctx, l, c) }) })
	if err != nil {
		return nil, err
	}
	return db.Select[uuid.UUID](ctx, l.Conn, "waiting scans", selectWaitingScans)
}

func markNewClicks(ctx context.Context, l click.Log, c db.Conn) error {
	now := l.Time()
	from, to := models.FloorClickID(now.Add(-scanReach)), models.FloorClickID(now.Add(-scanDelay))
	swept, again, err := db.First[uuid.UUID](ctx, c, "swept clicks", selectSwept, from)
	if err != nil {
		return err
	}
	save := insertSwept
	if again {
		from, save = swept, updateSwept
	}
	if err := db.Run(ctx, c, "mark scans", markBehind, from, to, models.FloorClickID(now.Add(-firstScan))); err != nil {
		return err
	}
	return db.Run(ctx, c, "swept clicks", save, to)
}

const leaseScan = `
INSERT INTO bot_scans AS s (account_id, scanned_after, behind, leased_until)
SELECT id, $2, false, now() + make_interval(secs => $4) FROM accounts WHERE id = $1
ON CONFLICT (account_id) DO UPDATE SET behind = false, leased_until = excluded.leased_until,
	scanned_after = greatest(s.scanned_after, $3)
WHERE s.leased_until IS NULL OR s.leased_until < now()
RETURNING account_id, scanned_after, revision`

// Claim claims the scan of an account for this worker. The lease ends after the time `term`. ok is false if another worker has claimed the
// scan, or if the account no longer exists.
func Claim(ctx context.Context, l click.Log, account uuid.UUID, term time.Duration) (s Progress, ok bool, err error) {
	now := l.Time()
	return db.First[Progress](ctx, l.Conn, "claim scan", leaseScan, account, models.FloorClickID(now.Add(-firstScan)),
		models.FloorClickID(now.Add(-scanReach)), term.Seconds())
}

const releaseScan = `UPDATE bot_scans SET leased_until = NULL, behind = behind OR NOT $2 WHERE account_id = $1`

// Release ends the lease of a scan. If done is false, clicks are left to scan, and the account stays marked for another scan.
func Release(ctx context.Context, c db.Conn, account uuid.UUID, done bool) error {
	return db.Run(ctx, c, "release scan", releaseScan, account, done)
}

// Scanned is the result of a call of Scan.
type Scanned struct {
	After uuid.UUID   // the last scanned click
	Days  []time.Time // days on which the split between bots and visitors has changed
	Done  bool        // no clicks are left to scan
}

// Scan scans the next clicks of an account, at most `limit`, in the transaction of c. It revises the clicks on which a signal has
// fired. After Scan, call spend.Respread for the Days, and then Advance.
func Scan(ctx context.Context, l click.Log, c db.Conn, crowd *Crowd, s Progress, settings bot.Settings, limit int) (
	Scanned, error,
) {
	now := l.Time()
	found, err := l.Store().Scan(ctx, c, scanColumns, click.Range{
		Account: s.AccountID, Low: click.NextID(s.After), High: models.FloorClickID(now.Add(-scanDelay)), Limit: limit,
	})
	if err != nil || len(found) == 0 {
		return Scanned{After: s.After, Done: true}, err
	}
	out := Scanned{After: found[len(found)-1].ID, Done: len(found) < limit}
	fired, err := crowd.signals(ctx, c, l.Store(), s.After, found)
	if err != nil {
		return out, err
	}
	j := judgement{Log: l, account: s.AccountID, settings: settings, fired: fired, waited: true}
	out.Days, err = j.judge(ctx, c, found)
	return out, err
}

const moveScan = `
UPDATE bot_scans SET scanned_after = $3, revision = revision + 1 WHERE account_id = $1 AND revision = $2
RETURNING account_id, scanned_after, revision`

// Advance records up to which click the account was scanned, in the transaction of c. ok is false if a late click was stored
// during the scan. The next scan then begins at that click.
func Advance(ctx context.Context, c db.Conn, s Progress, after uuid.UUID) (moved Progress, ok bool, err error) {
	return db.First[Progress](ctx, c, "move scan", moveScan, s.AccountID, s.Revision, after)
}

// DeleteExpired deletes rows that scans no longer need: old repeats, old records of landing pages with the page tag, and rechecks
// of clicks that never arrived. It also fills in the account of rechecks that were stored without one.
func DeleteExpired(ctx context.Context, l click.Log) error {
	now := l.Time()
	for _, f := range []struct {
		query  string
		before any
	}{
		{`DELETE FROM bot_repeats WHERE ctid = ANY (ARRAY(SELECT ctid FROM bot_repeats WHERE at < $1 LIMIT $2))`, now.Add(-repeatRetention)},
		{
			`DELETE FROM bot_tagged WHERE ctid = ANY (ARRAY(SELECT ctid FROM bot_tagged WHERE click_id < $1 LIMIT $2))`,
			models.FloorClickID(now.Add(-bot.TaggedWindow)),
		},
		{`DELETE FROM bot_rechecks WHERE ctid = ANY (ARRAY(SELECT ctid FROM bot_rechecks WHERE queued_at < $1 LIMIT $2))`, now.Add(-scanReach)},
	} {
		if _, err := db.InParts(ctx, l.Conn, "delete old scans", f.query, deletedAtOnce, f.before); err != nil {
			return err
		}
	}
	return db.Run(ctx, l.Conn, "accounts of rechecks", nameRechecks)
}
