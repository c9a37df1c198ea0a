package ingest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/matchkey"
	"switchyard/models"
)

// storedEvent is a row of site_events.
type storedEvent struct {
	models.SiteEvent
	Goals   []string `db:"goals"`   // keys of the reached goals
	Applied bool     `db:"applied"` // false: Arrival, the way in which the visitor arrived, waits to be written to the click
}

var insertEvents = `
INSERT INTO site_events (` + db.Columns[storedEvent]("") + `)
SELECT ` + db.Columns[storedEvent]("") + ` FROM ` + db.FromRecords[storedEvent]() + ` e
ON CONFLICT (id) DO NOTHING
RETURNING id`

// storeEvents stores new events, and returns them.
func storeEvents(ctx context.Context, c db.Conn, list []*models.SiteEvent) ([]*models.SiteEvent, error) {
	if len(list) == 0 {
		return nil, nil
	}
	rows, err := db.Records(db.Map(list, func(e *models.SiteEvent) storedEvent {
		return storedEvent{*e, db.Map(e.Goals, func(g models.ReachedGoal) string { return g.Key }), !e.FindsClick()}
	}))
	if err != nil {
		return nil, err
	}
	stored, err := db.Select[uuid.UUID](ctx, c, "store site events", insertEvents, rows...)
	if err != nil {
		return nil, err
	}
	byID := map[uuid.UUID]*models.SiteEvent{}
	for _, e := range slices.Backward(list) { // of two events with the same id, the first is stored
		byID[e.ID] = e
	}
	return db.Map(stored, func(id uuid.UUID) *models.SiteEvent { return byID[id] }), nil
}

// storeKeys stores the encrypted personal data of events with a click, and deletes the data of visitors who refuse consent. A
// refusal counts even if the event was stored before, because a sender repeats an event to withdraw the consent.
func storeKeys(ctx context.Context, c db.Conn, all, fresh []*models.SiteEvent) error {
	rowsOf := func(list []*models.SiteEvent, denied bool) (rows []matchkey.Row) {
		for _, e := range list {
			if e.ClickID == uuid.Nil || e.ConsentDenied != denied || !denied && len(e.Keys) == 0 {
				continue
			}
			r := matchkey.Row{ID: e.ID, AccountID: e.AccountID, ClickID: e.ClickID, ReceivedAt: e.ReceivedAt}
			if !denied {
				r.Names, r.Sealed = strings.Split(e.KeyNames, ","), e.Keys
			}
			rows = append(rows, r)
		}
		return rows
	}
	const allowed, denied = false, true
	if err := matchkey.Store(ctx, c, rowsOf(fresh, allowed)); err != nil {
		return err
	}
	return matchkey.Withdraw(ctx, c, rowsOf(all, denied))
}

// The earliest waiting event determines how the visitor arrived, unless an applied event has named an arrival other than direct.
// Clicks are locked in the order of their ids, as everywhere.
const updateArrivals = `
WITH locked AS MATERIALIZED (
	SELECT id, account_id FROM clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3 ORDER BY id FOR NO KEY UPDATE
), open AS MATERIALIZED (
	SELECT DISTINCT ON (e.click_id) e.click_id, e.arrival FROM site_events e JOIN locked k
		ON k.id = e.click_id AND k.account_id = e.account_id
	WHERE e.click_id = ANY ($1::uuid[]) AND NOT e.applied
		AND NOT EXISTS (SELECT FROM site_events p
			WHERE p.click_id = e.click_id AND p.account_id = e.account_id AND p.applied AND p.arrival NOT IN ('', 'direct'))
	ORDER BY e.click_id, e.received_at, e.id
), changed AS (
	UPDATE clicks c SET arrival = o.arrival FROM open o
	WHERE c.id = o.click_id AND c.id = ANY ($1::uuid[]) AND c.id BETWEEN $2 AND $3 AND c.arrival <> o.arrival
), done AS (
	UPDATE site_events e SET applied = true FROM locked k WHERE e.click_id = k.id AND NOT e.applied
)
SELECT id FROM locked`

// applyArrivals sets how the visitors of some clicks arrived, from the events that wait for these clicks. It returns the ids of
// the clicks that are not stored yet.
func applyArrivals(ctx context.Context, c db.Conn, clickIDs []uuid.UUID) (missing []uuid.UUID, err error) {
	if len(clickIDs) == 0 {
		return nil, nil
	}
	clicks := map[uuid.UUID]bool{}
	for _, id := range clickIDs {
		clicks[id] = true
	}
	ids := db.SortedIDs(clicks)
	known, err := db.Select[uuid.UUID](ctx, c, "apply arrivals", updateArrivals, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	for _, id := range known {
		delete(clicks, id)
	}
	return db.SortedIDs(clicks), err
}

// arrivalTimeout is the maximum time that an arrival waits for its click.
const arrivalTimeout = 48 * time.Hour

const selectArrivals = `
SELECT DISTINCT e.click_id FROM site_events e CROSS JOIN LATERAL (SELECT FROM clicks c WHERE c.id = e.click_id LIMIT 1) c
WHERE NOT e.applied AND e.received_at >= $1 LIMIT $2`

// ApplyWaitingArrivals applies arrivals that still wait although their clicks are stored, because an ingester ended or gave up. The
// parameter limit is the maximum number of clicks. A call also ends the wait of arrivals that have waited for arrivalTimeout.
func ApplyWaitingArrivals(ctx context.Context, l click.Log, limit int) error {
	const expire = `UPDATE site_events SET applied = true WHERE id = ANY (ARRAY(
		SELECT id FROM site_events WHERE NOT applied AND received_at < $1 LIMIT $2))`
	since := l.Time().Add(-arrivalTimeout)
	if err := db.Run(ctx, l.Conn, "expire arrivals", expire, since, limit); err != nil {
		return err
	}
	ids, err := db.Select[uuid.UUID](ctx, l.Conn, "waiting arrivals", selectArrivals, since, limit)
	if err != nil || len(ids) == 0 {
		return err
	}
	return db.Tx(ctx, l.Conn, func(c db.Conn) error {
		_, err := applyArrivals(ctx, c, ids)
		return err
	})
}
