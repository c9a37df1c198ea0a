package botscan

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/bot"
)

// recheck is a request to examine a click again, because a record that bears on it may have arrived after the examination.
type recheck struct {
	click    uuid.UUID
	account  uuid.UUID // zero: not known; nameRechecks finds it from the click
	follower uuid.UUID // the sender that followed the click's hidden link; zero: none
}

const maxFollowers = 16

// If requests name two accounts for a click, its recheck is stored without an account.
var insertRechecks = `
INSERT INTO bot_rechecks AS q (click_id, account_id, signals, followers)
SELECT click, CASE count(DISTINCT account) WHEN 1 THEN min(account::text)::uuid ELSE '` + db.ZeroID + `' END, 0, coalesce(array_agg(DISTINCT follower) FILTER (WHERE follower <> '` + db.ZeroID + `'), '{}')
FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS k (click, account, follower) GROUP BY click ORDER BY click
ON CONFLICT (click_id) DO UPDATE SET
	account_id = CASE WHEN q.account_id = excluded.account_id THEN q.account_id ELSE '` + db.ZeroID + `' END,
	followers = (q.followers || excluded.followers)[:` + strconv.Itoa(maxFollowers) + `]
WHERE q.account_id <> excluded.account_id OR NOT q.followers @> excluded.followers`

// selectOverdue finds clicks that were examined before the events of their visitors arrived. Such a click either has the signal
// that no script ran, or its time zone was not known at the examination.
const selectOverdue = `
SELECT c.id, c.account_id FROM clicks c
WHERE c.id = ANY ($1::uuid[]) AND c.id BETWEEN $2 AND $3 AND (c.bot_signals & $4 <> 0 OR c.id = ANY ($5::uuid[]) AND NOT EXISTS (
	SELECT FROM site_events e WHERE e.click_id = c.id AND e.click_id <> '00000000-0000-0000-0000-000000000000'
		AND e.time_zone <> '' AND e.id <> ALL ($6::uuid[])))`

// When a running scan calls Advance, it notices the new revision. So it does not miss a late click.
const moveScansBack = `
INSERT INTO bot_scans AS s (account_id, scanned_after, behind)
SELECT account_id, before, true FROM unnest($1::uuid[], $2::uuid[]) AS l (account_id, before)
ON CONFLICT (account_id) DO UPDATE SET scanned_after = least(s.scanned_after, excluded.scanned_after), behind = true,
	revision = s.revision + 1`

// LateRecords are newly stored records that scans for bots may already have passed.
type LateRecords struct {
	Clicks []*click.StoredClick
	Outs   []*models.ClickOut
	Events []*models.SiteEvent // events that were not stored before
	Traps  []*models.ClickTrap
}

// RequestRechecks handles records that are stored late, in the transaction of c. Late clicks move the scans back. Late events,
// late click-outs within bot.FastBound of their click, and followed hidden links (traps) request rechecks. An ingester calls
// RequestRechecks as its last step, so that no record becomes late afterwards.
func RequestRechecks(ctx context.Context, c db.Conn, r LateRecords) error {
	late := time.Now().Add(-storedLate)
	before := map[uuid.UUID]uuid.UUID{}
	for _, k := range r.Clicks {
		at := models.FloorClickID(k.At)
		if old, ok := before[k.AccountID]; k.At.Before(late) && (!ok || bytes.Compare(at[:], old[:]) < 0) {
			before[k.AccountID] = at
		}
	}
	if len(before) > 0 {
		accounts := db.SortedIDs(before)
		err := db.Run(ctx, c, "move scans back", moveScansBack, db.UUIDs(accounts),
			db.UUIDsOf(accounts, func(id uuid.UUID) uuid.UUID { return before[id] }))
		if err != nil {
			return err
		}
	}
	var list []recheck
	for _, o := range r.Outs {
		clicked, left := models.ClickTime(o.ClickID), models.ClickTime(o.ID)
		if left.Before(late) && left.Sub(clicked).Abs() <= bot.FastBound {
			list = append(list, recheck{click: o.ClickID, account: o.AccountID})
		}
	}
	overdue, err := overdueRechecks(ctx, c, r.Events, late)
	if err != nil {
		return err
	}
	list = append(list, overdue...)
	for _, t := range r.Traps {
		list = append(list, recheck{t.ClickID, t.AccountID, t.Sender})
	}
	return queueRechecks(ctx, c, list)
}

func overdueRechecks(ctx context.Context, c db.Conn, fresh []*models.SiteEvent, late time.Time) (list []recheck, err error) {
	named, zoned := map[uuid.UUID]bool{}, map[uuid.UUID]bool{} // clicks with events, and those with a time zone
	var events []uuid.UUID                                     // events with a time zone
	for _, e := range fresh {
		if e.ClickID == uuid.Nil || e.Source != models.FromTag || !models.ClickTime(e.ClickID).Before(late) {
			continue
		}
		named[e.ClickID] = true
		if e.TimeZone != "" {
			zoned[e.ClickID], events = true, append(events, e.ID)
		}
	}
	if len(named) == 0 {
		return nil, nil
	}
	ids := db.SortedIDs(named)
	found, err := db.Pairs[uuid.UUID, uuid.UUID](ctx, c, "overdue events", selectOverdue, db.UUIDs(ids), ids[0], ids[len(ids)-1],
		int64(bot.NoJS), db.UUIDs(db.SortedIDs(zoned)), db.UUIDs(events))
	for id, account := range found {
		list = append(list, recheck{click: id, account: account})
	}
	return list, err
}

func queueRechecks(ctx context.Context, c db.Conn, list []recheck) error {
	if len(list) == 0 {
		return nil
	}
	return db.Run(ctx, c, "queue rechecks", insertRechecks,
		db.UUIDsOf(list, func(r recheck) uuid.UUID { return r.click }),
		db.UUIDsOf(list, func(r recheck) uuid.UUID { return r.account }),
		db.UUIDsOf(list, func(r recheck) uuid.UUID { return r.follower }))
}

// The look-ups are LATERAL with LIMIT, so that each costs one index probe.
const nameRechecks = `
UPDATE bot_rechecks q SET account_id = k.account_id
FROM (
	SELECT r.click_id, c.account_id FROM bot_rechecks r
	CROSS JOIN LATERAL (SELECT account_id FROM clicks c WHERE c.id = r.click_id LIMIT 1) c
	WHERE r.account_id = '00000000-0000-0000-0000-000000000000'
) k WHERE q.click_id = k.click_id`

const selectRechecks = `
SELECT q.click_id FROM bot_rechecks q
CROSS JOIN LATERAL (SELECT FROM clicks c WHERE c.id = q.click_id AND c.account_id = q.account_id LIMIT 1) c
WHERE q.account_id = $1 ORDER BY q.click_id LIMIT $2`

// Anyone who knows the id of a click can follow its hidden link. So the signal bot.Honeypot ($5) fires only if the sender of the
// click followed the link.
const deleteRechecks = `
DELETE FROM bot_rechecks q USING clicks c
WHERE q.account_id = $1 AND q.click_id = ANY ($2::uuid[]) AND c.id = q.click_id AND c.account_id = $1 AND c.id BETWEEN $3 AND $4
RETURNING q.click_id, q.signals | CASE WHEN (c.ip IS NOT NULL OR c.address_key <> 0) AND ` + visitorOfClick + ` = ANY (q.followers)
	THEN $5::bigint ELSE 0 END`

// Recheck examines again at most limit clicks of an account for which a recheck was requested. Signals may fire or be cleared.
// Call spend.Respread for the returned days. done means that no other click waits.
func Recheck(ctx context.Context, l click.Log, c db.Conn, account uuid.UUID, settings bot.Settings, limit int) (
	days []time.Time, done bool, err error,
) {
	ids, err := db.Select[uuid.UUID](ctx, c, "rechecks", selectRechecks, account, limit)
	if err != nil || len(ids) == 0 {
		return nil, true, err
	}
	j := judgement{Log: l, account: account, settings: settings, fired: map[uuid.UUID]bot.Signals{}}
	// Ingesters lock in the same order: first a click, then its recheck.
	clicks, err := j.lock(ctx, c, ids)
	if err != nil {
		return nil, false, err
	}
	taken, err := db.Pairs[uuid.UUID, int64](ctx, c, "delete rechecks", deleteRechecks, account, db.UUIDs(ids), ids[0],
		ids[len(ids)-1], int64(bot.Honeypot))
	if err != nil {
		return nil, false, err
	}
	for id, signals := range taken {
		j.fired[id] = bot.Signals(signals) //nolint:gosec // the bits were stored from bot.Signals
	}
	clicks = slices.DeleteFunc(clicks, func(k *click.StoredClick) bool { _, ok := taken[k.ID]; return !ok })
	days, err = j.judge(ctx, c, clicks)
	return days, len(ids) < limit, err
}
