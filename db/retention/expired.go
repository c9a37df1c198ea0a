package retention

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/conversion"
	"switchyard/db/matchkey"
	"switchyard/db/oldtracker"
	"switchyard/db/sourcepostback"
	"switchyard/db/upload"
	"switchyard/models"
)

// DeleteExpired deletes data beyond the account's plan: clicks with their click-outs, postbacks and site events, clicks of
// smartlinks, and postbacks and site events that are too old themselves. For all plans, it deletes the click ids of ad platforms
// after adRetention. It deletes single rows, because a partition holds the clicks of all accounts. The ledger, the sums of
// smartlinks and the conversions stay: they contain no IP address, and figures must not change without a cause. Reports that are
// read from rows begin with the first row that is kept. A run may be missed, repeated or run in parallel.
func DeleteExpired(ctx context.Context, l click.Log) error {
	now := l.Time()
	postbacks, err := deleteExpiredPostbacks(ctx, l.Conn, now)
	events, eventsErr := deleteExpiredEvents(ctx, l.Conn, now)
	clicks, clicksErr := deleteExpiredClicks(ctx, l, now)
	slog.InfoContext(ctx, "expired history deleted", "postbacks", postbacks, "site_events", events, "clicks", clicks)
	return errors.Join(err, eventsErr, clicksErr, deleteExpiredAds(ctx, l.Conn, now))
}

// announceHistory stores the time from which the accounts on a plan keep their clicks. The time never moves back, because a plan
// with a longer history does not bring back deleted rows.
const announceHistory = `
INSERT INTO click_history AS h (account_id, kept_from, announced_at)
SELECT id, $2, $3 FROM accounts WHERE plan = $1
ON CONFLICT (account_id) DO UPDATE SET kept_from = EXCLUDED.kept_from, announced_at = EXCLUDED.announced_at
WHERE h.kept_from < EXCLUDED.kept_from`

// While an account's currency is being changed, its rows are kept, because the amounts of some are not restated yet.
const selectExpired = `
SELECT account_id, kept_from, deleted_to FROM click_history h
WHERE deleted_to < kept_from AND announced_at < $1
	AND NOT EXISTS (SELECT FROM currency_changes k WHERE k.account_id = h.account_id) ORDER BY account_id`

const (
	// announcedFor is the time from announced_at until rows before kept_from are deleted. By then, jobs that correct the figures
	// of these rows have ended.
	announcedFor = time.Hour
	// lateClicks is the last part of the deleted range, which is searched again for clicks that waited in a spool.
	lateClicks    = 7 * click.Day
	deletedAtOnce = 2000
)

type history struct {
	Account   uuid.UUID `db:"account_id"`
	KeptFrom  time.Time `db:"kept_from"`
	DeletedTo time.Time `db:"deleted_to"`
}

// deleteExpiredClicks deletes clicks beyond the announced histories, and then announces today's histories. Finally it deletes old
// click-outs without a click.
func deleteExpiredClicks(ctx context.Context, l click.Log, now time.Time) (total int64, err error) {
	due, err := db.Select[history](ctx, l.Conn, "histories", selectExpired, now.Add(-announcedFor))
	if err != nil {
		return 0, err
	}
	for _, h := range due {
		n, err := deleteClicksOf(ctx, l, h)
		total += n
		if err != nil {
			return total, err
		}
	}
	today := now.UTC().Truncate(click.Day)
	for _, p := range models.Plans {
		keptFrom := today.AddDate(0, 0, -p.HistoryDays)
		if err := db.Run(ctx, l.Conn, "announce history", announceHistory, p.Name, keptFrom, now); err != nil {
			return total, err
		}
	}
	return total, deleteLostHops(ctx, l.Conn, now)
}

const deleteSmartlinkClicks = `
DELETE FROM smartlink_clicks WHERE id >= $2 AND id < $3 AND id = ANY (ARRAY(
	SELECT id FROM smartlink_clicks WHERE account_id = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4))`

// deleteClicksOf deletes the rows of one account that are older than its history.
func deleteClicksOf(ctx context.Context, l click.Log, h history) (total int64, err error) {
	from := h.DeletedTo.Add(-lateClicks)
	low, high := models.FloorClickID(from), models.FloorClickID(h.KeptFrom)
	for n := deletedAtOnce; n == deletedAtOnce; {
		found, err := l.Store().Scan(ctx, l.Conn, click.IDColumn, click.Range{Account: h.Account, Low: low, High: high, Limit: deletedAtOnce})
		if err != nil {
			return total, err
		}
		if n = len(found); n == 0 {
			break
		}
		ids := click.IDs(found)
		err = db.Tx(ctx, l.Conn, func(c db.Conn) error {
			if _, err := l.Store().Thaw(ctx, c, h.Account, ids); err != nil { // the clicks may have moved to ClickHouse after the scan
				return err
			}
			return deleteClicks(ctx, c, l.Store(), ids)
		})
		if err != nil {
			return total, err
		}
		total, low = total+int64(n), ids[n-1]
	}
	n, err := db.InParts(ctx, l.Conn, "delete old clicks of smartlinks", deleteSmartlinkClicks, deletedAtOnce, h.Account,
		models.FloorClickID(from), high)
	if err == nil {
		err = db.Run(ctx, l.Conn, "delete old clicks", `UPDATE click_history SET deleted_to = $2 WHERE account_id = $1`,
			h.Account, h.KeptFrom)
	}
	return total + n, err
}

// deleteSent deletes what was sent to traffic sources and ad platforms because of clicks, their hashed personal data, and the ids
// by which shops and an old tracker refer to them.
func deleteSent(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	for _, remove := range []func(context.Context, db.Conn, []uuid.UUID) error{
		matchkey.DeleteOf, upload.DeleteOf, conversion.DeleteReferences, sourcepostback.DeleteOf, oldtracker.DeleteOf,
	} {
		if err := remove(ctx, c, clicks); err != nil {
			return err
		}
	}
	return nil
}

const deleteHops = `DELETE FROM click_hops WHERE click_id = ANY ($1::uuid[])`

// deleteClicks deletes clicks with their click-outs, postbacks and site events. ids must be sorted. It keeps the
// ledger, the conversions, and the data that later decisions about the conversions need.
func deleteClicks(ctx context.Context, c db.Conn, in click.Store, ids []uuid.UUID) error {
	if err := clearPostbacks(ctx, c, ids); err != nil {
		return err
	}
	if err := deleteSent(ctx, c, ids); err != nil {
		return err
	}
	list := db.UUIDs(ids)
	if err := deleteEvents(ctx, c, list); err != nil {
		return err
	}
	if err := conversion.StoreConverted(ctx, c, ids); err != nil {
		return err
	}
	if err := in.Remove(ctx, c, ids); err != nil {
		return err
	}
	return db.Run(ctx, c, "delete hops", deleteHops, list)
}

// deleteLostHops deletes click-outs whose click never arrived, once they are older than the shortest history of all plans.
func deleteLostHops(ctx context.Context, c db.Conn, now time.Time) error {
	const lost = `DELETE FROM click_hops WHERE id = ANY (ARRAY(
		SELECT id FROM click_hops WHERE NOT applied AND id < $1 LIMIT $2))`
	_, err := db.InParts(ctx, c, "delete lost hops", lost, deletedAtOnce,
		models.FloorClickID(now.AddDate(0, 0, -models.ShortestHistory())))
	return err
}
