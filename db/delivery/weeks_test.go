package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/delivery"
	"switchyard/models"
)

type env struct {
	*testing.T
	db      *db.DB
	account uuid.UUID
}

func newEnv(t *testing.T) env {
	t.Helper()
	l := env{t, dbtest.New(t), uuid.New()}
	dbtest.Exec(l, l.db, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', $2)`, l.account, l.account.String())
	dbtest.Exec(l, l.db, `INSERT INTO webhook_endpoints (id, account_id, url, events, secret) VALUES ($1, $2, 'https://e.example', $3, '')`,
		uuid.New(), l.account, "{"+models.EventCampaignPaused+"}")
	return l
}

// add stores an event and its delivery with a job in the given state, all of the given time.
func (l env) add(at time.Time, state string) uuid.UUID {
	l.Helper()
	e := models.NewEvent(l.account, models.EventCampaignPaused, at, models.CampaignPausedData{})
	e.ID = idAt(at)
	ids, err := delivery.AddEvent(l.Context(), l.db, e)
	if err != nil || len(ids) != 1 {
		l.Fatalf("the event has the deliveries %v, want one: %v", ids, err)
	}
	id := idAt(at)
	dbtest.Exec(l, l.db, `UPDATE jobs SET id = $2, state = $3, finished_at = $4 WHERE id = $1`, ids[0], id, state, at)
	dbtest.Exec(l, l.db, `UPDATE webhook_deliveries SET id = $2, created_at = $3 WHERE id = $1`, ids[0], id, at)
	return id
}

func idAt(at time.Time) uuid.UUID {
	id, low := uuid.Must(uuid.NewV7()), models.FloorClickID(at)
	copy(id[:6], low[:6])
	return id
}

func (l env) has(id uuid.UUID) bool {
	l.Helper()
	return dbtest.Get[int](l, l.db, `SELECT count(*) FROM webhook_deliveries WHERE id = $1`, id) > 0
}

// weeks counts the weekly partitions of both logs, without the two partitions _rest.
func (l env) weeks() int {
	l.Helper()
	return dbtest.Get[int](l, l.db, `SELECT count(*) FROM pg_inherits WHERE inhparent IN ('events'::regclass, 'webhook_deliveries'::regclass)`) - 2
}

var epoch = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) // a Wednesday

// TestNewIDsGoToTheirWeek checks that the ids of new events and deliveries have the present time, so that they go to the
// partition of their week.
func TestNewIDsGoToTheirWeek(t *testing.T) {
	t.Parallel()
	l := newEnv(t)
	if err := delivery.EnsureWeeks(t.Context(), l.db, time.Now(), 1); err != nil {
		t.Fatal(err)
	}
	e := models.NewEvent(l.account, models.EventCampaignPaused, time.Now(), models.CampaignPausedData{})
	before := time.Now().Truncate(time.Second)
	ids, err := delivery.AddEvent(t.Context(), l.db, e)
	if err != nil {
		t.Fatal(err)
	}
	if v := ids[0].Version(); v != 7 || ids[0].Variant() != uuid.RFC4122 {
		t.Errorf("id %s has the version %d, want 7", ids[0], v)
	}
	seconds, _ := ids[0].Time().UnixTime()
	if at := time.Unix(seconds, 0); at.Before(before) || at.After(time.Now().Add(time.Second)) { // ids may be ahead of the clock
		t.Errorf("an id created after %s has the time %s", before, at)
	}
	if n := dbtest.Get[int](l, l.db, `SELECT (SELECT count(*) FROM events_rest) + (SELECT count(*) FROM webhook_deliveries_rest)`); n != 0 {
		t.Errorf("%d rows are in no weekly partition, want 0", n)
	}
}

// TestNewWeeksTakeWaitingRows checks that EnsureWeeks creates the partitions and moves their rows out of the partitions _rest.
func TestNewWeeksTakeWaitingRows(t *testing.T) {
	t.Parallel()
	l := newEnv(t)
	before := l.weeks()
	monday := l.add(time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), "done")
	sunday := l.add(time.Date(2026, 3, 8, 23, 59, 59, 0, time.UTC), "done")
	for range 2 { // the second call changes nothing
		if err := delivery.EnsureWeeks(t.Context(), l.db, epoch, 2); err != nil {
			t.Fatal(err)
		}
	}
	if n := l.weeks() - before; n != 6 {
		t.Errorf("%d new partitions, want 6: 3 of each log", n)
	}
	for _, id := range []uuid.UUID{monday, sunday} {
		if n := dbtest.Get[int](l, l.db, `SELECT count(*) FROM webhook_deliveries_w20260302 WHERE id = $1`, id); n != 1 {
			t.Errorf("%s did not move into its week", id)
		}
	}
	if n := dbtest.Get[int](l, l.db, `SELECT count(*) FROM events_w20260302`); n != 2 {
		t.Errorf("%d events moved to their week, want 2", n)
	}
}

// TestDropWeeks checks that whole weeks are dropped, up to the first week with a delivery that waits.
func TestDropWeeks(t *testing.T) {
	t.Parallel()
	l := newEnv(t)
	if err := delivery.EnsureWeeks(t.Context(), l.db, epoch.AddDate(0, 0, -7), 4); err != nil {
		t.Fatal(err)
	}
	at := func(week int) time.Time { return epoch.AddDate(0, 0, 7*week) }
	legacy := l.add(at(0), "done") // its id gets no time, so it is in no week
	dbtest.Exec(l, l.db, `UPDATE webhook_deliveries SET id = '00000000-0000-4000-8000-000000000000' WHERE id = $1`, legacy)
	old, failed, waiting, after := l.add(at(0), "done"), l.add(at(0), "failed"), l.add(at(1), "pending"), l.add(at(2), "done")
	deleteWeeks := func(before time.Time) int {
		t.Helper()
		n, err := delivery.DeleteWeeks(t.Context(), l.db, before)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := deleteWeeks(at(1).AddDate(0, 0, -3)); n != 1 || !l.has(old) {
		t.Errorf("a limit within the week: %d partitions dropped, want 1", n) // only a partition of the empty week before epoch is dropped
	}
	// The events of the first week stay too, because they may belong to the waiting delivery.
	if n := deleteWeeks(at(3)); n != 2 || l.has(old) || l.has(failed) || !l.has(waiting) || !l.has(after) {
		t.Errorf("%d partitions dropped, want 2; stored: old %v, failed %v (want false), waiting %v, after %v (want true)",
			n, l.has(old), l.has(failed), l.has(waiting), l.has(after))
	}
	if n := dbtest.Get[int](l, l.db, `SELECT count(*) FROM events_w20260302`); n != 3 {
		t.Errorf("%d events of the first week are left, want 3", n)
	}
	if n := dbtest.Get[int](l, l.db, `SELECT count(*) FROM jobs WHERE id IN ($1, $2)`, old, failed); n != 0 {
		t.Errorf("%d jobs of deleted deliveries are left, want 0", n)
	}
	if n := dbtest.Get[int](l, l.db, `SELECT count(*) FROM webhook_deliveries_rest`); n != 0 {
		t.Error("an old delivery outside the weekly partitions was not deleted")
	}
	dbtest.Exec(l, l.db, `UPDATE jobs SET state = 'done' WHERE id = $1`, waiting)
	if deleteWeeks(at(3)); l.has(waiting) || l.has(after) {
		t.Error("the weeks were kept although no delivery waits any more")
	}
	if n := dbtest.Get[int](l, l.db, `SELECT count(*) FROM events`); n != 1 {
		t.Errorf("%d events are left, want only the event of the last week", n)
	}
}

// TestHousekeepingDoesNotWait checks that housekeeping fails instead of waiting for a slow reader of the log.
func TestHousekeepingDoesNotWait(t *testing.T) {
	t.Parallel()
	l := newEnv(t)
	if err := delivery.EnsureWeeks(t.Context(), l.db, epoch, 0); err != nil {
		t.Fatal(err)
	}
	old := l.add(epoch, "done")
	later := epoch.AddDate(0, 1, 0)
	err := db.Tx(t.Context(), l.db, func(c db.Conn) error {
		if _, err := c.ExecContext(t.Context(), `SELECT count(*) FROM webhook_deliveries`); err != nil {
			return err
		}
		if _, err := delivery.DeleteWeeks(t.Context(), l.db, later); err == nil {
			return errors.New("the week was deleted during a read")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !l.has(old) {
		t.Error("the delivery was deleted although the call failed")
	}
	if n, err := delivery.DeleteWeeks(context.WithoutCancel(t.Context()), l.db, later); err != nil || n == 0 {
		t.Errorf("after the reader has ended: %d partitions dropped (%v), want at least 1", n, err)
	}
}
