package clicklog

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/sourcepostback"
	"switchyard/db/upload"
	"switchyard/models"
)

// ForgetHistory deletes data that is older than the account's plan keeps it: clicks with their click-outs, postbacks and site
// events, the clicks of smartlinks, and other postbacks and site events. Partitions hold the clicks of all accounts, so it
// deletes single rows. Tidy drops whole partitions after the longest history of all plans. The ledger, the sums of smartlinks and
// the conversions stay: they contain no address, and figures must not change without a cause. So reports by the dimensions of the
// ledger do not change. Reports that need rows begin with the first row that is kept. A run may be missed, repeated or run in
// parallel.
func (l Log) ForgetHistory(ctx context.Context) error {
	now := l.now()
	postbacks, err := l.forgetPostbacks(ctx, now)
	events, eventsErr := l.forgetEvents(ctx, now)
	clicks, clicksErr := l.forgetClicks(ctx, now)
	slog.InfoContext(ctx, "history forgotten", "postbacks", postbacks, "site_events", events, "clicks", clicks)
	return errors.Join(err, eventsErr, clicksErr, l.forgetAds(ctx, now))
}

// Changing to a plan that keeps more does not bring back rows that are already deleted.
const announceHistory = `
INSERT INTO click_history AS h (account_id, kept_from, announced_at)
SELECT id, $2, $3 FROM accounts WHERE plan = $1
ON CONFLICT (account_id) DO UPDATE SET kept_from = EXCLUDED.kept_from, announced_at = EXCLUDED.announced_at
WHERE h.kept_from < EXCLUDED.kept_from`

// Rows that a change of the currency has not restated yet are kept until it has.
const selectForgettable = `
SELECT account_id, kept_from, deleted_to FROM click_history h
WHERE deleted_to < kept_from AND announced_at < $1
	AND NOT EXISTS (SELECT FROM currency_changes k WHERE k.account_id = h.account_id) ORDER BY account_id`

const (
	// announcedFor is the time between announcing the new end of an account's history and deleting the rows before it. A job
	// that began to correct their figures is done by then.
	announcedFor = time.Hour
	// lateClicks is the part of the deleted range that is searched again, for clicks that waited in a spool.
	lateClicks = 7 * day
	// forgottenAtOnce is the largest number of clicks that one transaction of forgetClicks deletes.
	forgottenAtOnce = 2000
)

// history is the range of clicks that an account keeps.
type history struct {
	Account   uuid.UUID `db:"account_id"`
	KeptFrom  time.Time `db:"kept_from"`
	DeletedTo time.Time `db:"deleted_to"`
}

// forgetClicks deletes clicks that are older than the announced histories, and then announces today's histories.
func (l Log) forgetClicks(ctx context.Context, now time.Time) (total int64, err error) {
	due, err := db.Select[history](ctx, l.Conn, "histories", selectForgettable, now.Add(-announcedFor))
	if err != nil {
		return 0, err
	}
	for _, h := range due {
		n, err := l.forgetClicksOf(ctx, h)
		total += n
		if err != nil {
			return total, err
		}
	}
	today := now.UTC().Truncate(day)
	for _, p := range models.Plans {
		keptFrom := today.AddDate(0, 0, -p.HistoryDays)
		if _, err := db.Exec(ctx, l.Conn, "announce history", announceHistory, p.Name, keptFrom, now); err != nil {
			return total, err
		}
	}
	return total, l.forgetLostHops(ctx, now)
}

const forgetSmartlinkClicks = `
DELETE FROM smartlink_clicks WHERE id >= $2 AND id < $3 AND id = ANY (ARRAY(
	SELECT id FROM smartlink_clicks WHERE account_id = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT $4))`

// forgetClicksOf deletes the rows of one account that are older than its history.
func (l Log) forgetClicksOf(ctx context.Context, h history) (total int64, err error) {
	from := h.DeletedTo.Add(-lateClicks)
	low, high := models.FloorClickID(from), models.FloorClickID(h.KeptFrom)
	for n := forgottenAtOnce; n == forgottenAtOnce; {
		found, err := l.store().scan(ctx, l.Conn, idColumn, clickRange{account: h.Account, low: low, high: high, limit: forgottenAtOnce})
		if err != nil {
			return total, err
		}
		if n = len(found); n == 0 {
			break
		}
		ids := clickIDs(found)
		err = db.Tx(ctx, l.Conn, func(c db.Conn) error {
			if _, err := l.store().thaw(ctx, c, h.Account, ids); err != nil { // they may have left PostgreSQL since then
				return err
			}
			return deleteClicks(ctx, c, l.store(), ids)
		})
		if err != nil {
			return total, err
		}
		total, low = total+int64(n), ids[n-1]
	}
	n, err := db.InParts(ctx, l.Conn, "forget clicks of smartlinks", forgetSmartlinkClicks, forgottenAtOnce, h.Account,
		models.FloorClickID(from), high)
	if err == nil {
		_, err = db.Exec(ctx, l.Conn, "forget clicks", `UPDATE click_history SET deleted_to = $2 WHERE account_id = $1`,
			h.Account, h.KeptFrom)
	}
	return total + n, err
}

// deleteSent deletes the postbacks to traffic sources and the uploads to ad platforms that some clicks have caused.
func deleteSent(ctx context.Context, c db.Conn, clicks []uuid.UUID) error {
	if err := upload.DeleteOf(ctx, c, clicks); err != nil {
		return err
	}
	return sourcepostback.DeleteOf(ctx, c, clicks)
}

// deleteClicks deletes the rows of clicks, and the rows of their click-outs and postbacks. ids are sorted. The ledger and the
// conversions stay.
func deleteClicks(ctx context.Context, c db.Conn, in pgStore, ids []uuid.UUID) error {
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
	if err := in.remove(ctx, c, ids); err != nil {
		return err
	}
	_, err := db.Exec(ctx, c, "delete hops", `DELETE FROM click_hops WHERE click_id = ANY ($1::uuid[])`, list)
	return err
}

// forgetLostHops deletes click-outs that are older than the shortest history of all plans and whose click never arrived.
func (l Log) forgetLostHops(ctx context.Context, now time.Time) error {
	const lost = `DELETE FROM click_hops WHERE id = ANY (ARRAY(
		SELECT id FROM click_hops WHERE NOT applied AND id < $1 LIMIT $2))`
	_, err := db.InParts(ctx, l.Conn, "delete lost hops", lost, forgottenAtOnce,
		models.FloorClickID(now.AddDate(0, 0, -models.ShortestHistory())))
	return err
}

// KeptFrom returns the time from which on the account's plan keeps clicks. It is zero for an account that keeps all its clicks.
func (Log) KeptFrom(ctx context.Context, c db.Conn, account uuid.UUID) (time.Time, error) {
	const q = `SELECT kept_from FROM click_history WHERE account_id = $1`
	at, _, err := db.First[time.Time](ctx, c, "history", q, account)
	return at, err
}
