package clicklog

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/bot"
)

const (
	// scanSettle is how old a click is when it is looked at: the page tag has had bot.TagWait, and the ingesters have
	// stored what came before.
	scanSettle = bot.TagWait + 10*time.Second
	// storedLate is how old a click is that is stored so late that a scan may have passed it. The difference is for clocks
	// that disagree.
	storedLate = scanSettle - 15*time.Second
	// scanReach is how far back a scan looks. Clicks that are stored later than that stay unscanned.
	scanReach = 48 * time.Hour
	// firstScan is how far back the first scan of an account looks.
	firstScan = time.Hour
	// repeatsKept is how long repeated clicks are remembered.
	repeatsKept = bot.RepeatWindow + 2*time.Hour
	// forgottenByScans is how many old rows of scans one statement deletes.
	forgottenByScans = 10_000
)

// BotScan is how far the clicks of an account were scanned for signals that only show afterwards.
type BotScan struct {
	AccountID uuid.UUID `db:"account_id"`
	After     uuid.UUID `db:"scanned_after"`
	Revision  int64     `db:"revision"`
}

// The accounts of clicks that came since the last sweep. To ask each account for its clicks costs more, the more there are.
const markBehind = `
INSERT INTO bot_scans AS s (account_id, scanned_after, behind)
SELECT a.id, $3, true FROM accounts a WHERE a.id IN (
	SELECT account_id FROM clicks WHERE id >= $1 AND id < $2 UNION SELECT account_id FROM bot_rechecks
) ORDER BY a.id
ON CONFLICT (account_id) DO UPDATE SET behind = true WHERE NOT s.behind`

// The row is locked, so that sweeps come one after another.
const (
	selectSwept = `SELECT greatest(swept_to, $1) FROM bot_sweeps FOR UPDATE`
	updateSwept = `UPDATE bot_sweeps SET swept_to = $1`
	insertSwept = `INSERT INTO bot_sweeps (swept_to) VALUES ($1)`
)

// A worker that died has left its lease.
const selectWaitingScans = `
SELECT account_id FROM bot_scans WHERE behind AND leased_until IS NULL OR leased_until < now() ORDER BY account_id`

// WaitingBotScans lists the accounts with clicks that are to be looked at.
func (l Log) WaitingBotScans(ctx context.Context) ([]uuid.UUID, error) {
	err := Unraced(func() error { return db.Tx(ctx, l.Conn, func(c db.Conn) error { return l.sweepBots(ctx, c) }) })
	if err != nil {
		return nil, err
	}
	return db.Select[uuid.UUID](ctx, l.Conn, "waiting scans", selectWaitingScans)
}

// sweepBots marks the accounts of clicks that came since the last sweep.
func (l Log) sweepBots(ctx context.Context, c db.Conn) error {
	now := l.now()
	from, to := models.FloorClickID(now.Add(-scanReach)), models.FloorClickID(now.Add(-scanSettle))
	swept, again, err := db.First[uuid.UUID](ctx, c, "swept clicks", selectSwept, from)
	if err != nil {
		return err
	}
	save := insertSwept
	if again {
		from, save = swept, updateSwept
	}
	if _, err := db.Exec(ctx, c, "mark scans", markBehind, from, to, models.FloorClickID(now.Add(-firstScan))); err != nil {
		return err
	}
	_, err = db.Exec(ctx, c, "swept clicks", save, to)
	return err
}

// A click that comes after the lease was taken makes the account wait for a scan again.
const leaseScan = `
INSERT INTO bot_scans AS s (account_id, scanned_after, behind, leased_until)
SELECT id, $2, false, now() + make_interval(secs => $4) FROM accounts WHERE id = $1
ON CONFLICT (account_id) DO UPDATE SET behind = false, leased_until = excluded.leased_until,
	scanned_after = greatest(s.scanned_after, $3)
WHERE s.leased_until IS NULL OR s.leased_until < now()
RETURNING account_id, scanned_after, revision`

// LeaseBotScan claims the scan of an account for one worker for a while. ok is false if another worker has it.
func (l Log) LeaseBotScan(ctx context.Context, account uuid.UUID, term time.Duration) (s BotScan, ok bool, err error) {
	now := l.now()
	return db.First[BotScan](ctx, l.Conn, "lease scan", leaseScan, account, models.FloorClickID(now.Add(-firstScan)),
		models.FloorClickID(now.Add(-scanReach)), term.Seconds())
}

const releaseScan = `UPDATE bot_scans SET leased_until = NULL, behind = behind OR NOT $2 WHERE account_id = $1`

// ReleaseBotScan ends a lease. done says that all clicks were looked at.
func (l Log) ReleaseBotScan(ctx context.Context, account uuid.UUID, done bool) error {
	_, err := db.Exec(ctx, l.Conn, "release scan", releaseScan, account, done)
	return err
}

// BotsScanned is what one ScanBots did.
type BotsScanned struct {
	After uuid.UUID   // the last click that it looked at
	Days  []time.Time // on which bots and others have changed
	Done  bool        // there are no more clicks
}

// ScanBots looks at the next clicks of a scan, at most limit, in the transaction of c, and revises those on which a signal
// has fired. The crowd is the account's. Call RespreadSpend for the Days, then MoveBotScan. Doing it again changes nothing: a
// signal that has fired is found again. A click that is stored late, though not more than 48 hours, takes the scan back to its
// time.
func (l Log) ScanBots(ctx context.Context, c db.Conn, crowd *Crowd, s BotScan, settings bot.Settings, limit int) (
	BotsScanned, error,
) {
	now := l.now()
	found, err := l.store().scan(ctx, c, scanColumns, clickRange{
		account: s.AccountID, low: next(s.After), high: models.FloorClickID(now.Add(-scanSettle)), limit: limit,
	})
	if err != nil || len(found) == 0 {
		return BotsScanned{After: s.After, Done: true}, err
	}
	out := BotsScanned{After: found[len(found)-1].ID, Done: len(found) < limit}
	fired, err := crowd.signals(ctx, c, l.store(), s.After, found)
	if err != nil {
		return out, err
	}
	j := judgement{Log: l, account: s.AccountID, settings: settings, fired: fired, waited: true}
	out.Days, err = j.pass(ctx, c, found)
	return out, err
}

const moveScan = `
UPDATE bot_scans SET scanned_after = $3, revision = revision + 1 WHERE account_id = $1 AND revision = $2
RETURNING account_id, scanned_after, revision`

// MoveBotScan records, in the transaction of c, up to which click the account was scanned. ok is false if a late click was
// stored in the meantime: the next scan then begins there.
func (Log) MoveBotScan(ctx context.Context, c db.Conn, s BotScan, after uuid.UUID) (moved BotScan, ok bool, err error) {
	return db.First[BotScan](ctx, c, "move scan", moveScan, s.AccountID, s.Revision, after)
}

// ForgetBotScans deletes what scans no longer need: old repeats, old reports of landing pages, and rechecks of clicks that
// never came. It also finds the accounts of rechecks that name none.
func (l Log) ForgetBotScans(ctx context.Context) error {
	now := l.now()
	for _, f := range []struct {
		query  string
		before any
	}{
		{`DELETE FROM bot_repeats WHERE ctid = ANY (ARRAY(SELECT ctid FROM bot_repeats WHERE at < $1 LIMIT $2))`, now.Add(-repeatsKept)},
		{
			`DELETE FROM bot_tagged WHERE ctid = ANY (ARRAY(SELECT ctid FROM bot_tagged WHERE click_id < $1 LIMIT $2))`,
			models.FloorClickID(now.Add(-bot.TaggedWindow)),
		},
		{`DELETE FROM bot_rechecks WHERE ctid = ANY (ARRAY(SELECT ctid FROM bot_rechecks WHERE queued_at < $1 LIMIT $2))`, now.Add(-scanReach)},
	} {
		if _, err := db.InParts(ctx, l.Conn, "forget scans", f.query, forgottenByScans, f.before); err != nil {
			return err
		}
	}
	_, err := db.Exec(ctx, l.Conn, "accounts of rechecks", nameRechecks)
	return err
}
