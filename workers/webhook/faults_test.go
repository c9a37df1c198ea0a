package webhook_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/delivery"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/models/longtest"
)

// endpointAt adds an endpoint at a path of the receiver, for one event type.
func (w *env) endpointAt(path, event string) {
	w.t.Helper()
	id := uuid.New()
	var base string
	if err := w.db.GetContext(w.t.Context(), &base, `SELECT url FROM webhook_endpoints WHERE id = $1`, w.endpoint); err != nil {
		w.t.Fatal(err)
	}
	place := delivery.SecretPlace(w.account, id)
	sealed, err := w.box.SealForService(w.t.Context(), place, []byte(secret))
	if err != nil {
		w.t.Fatal(err)
	}
	dbtest.Exec(w.t, w.db, `INSERT INTO webhook_endpoints (id, account_id, url, events, secret) VALUES ($1, $2, $3, ARRAY[$4], $5)`,
		id, w.account, base+path, event, sealed)
}

// emitMany makes n events in one transaction.
func (w *env) emitMany(event string, n int) []uuid.UUID {
	w.t.Helper()
	var all []uuid.UUID
	err := db.Tx(w.t.Context(), w.db, func(c db.Conn) error {
		for range n {
			ids, err := delivery.AddEvent(w.t.Context(), c, models.NewEvent(w.account, event, time.Now(), nil))
			if err != nil {
				return err
			}
			all = append(all, ids...)
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for some := range slices.Chunk(all, 200) {
		w.client.DispatchFor(w.t.Context(), w.account, models.KindDeliverWebhook, some...)
	}
	return all
}

// TestIsolation: one endpoint does not answer, and it has far more deliveries than the worker has places. Another endpoint still gets
// all of its deliveries.
func TestIsolation(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	w.endpointAt("/good", models.EventLinkBroken)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	w.reply(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hook/good" {
			rw.WriteHeader(http.StatusNoContent)
			return
		}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	stuck := w.emitMany(models.EventCampaignPaused, longtest.Size(400, 5000))
	await.Until(w.t, "the hanging endpoint is being called", func() bool { return len(w.received()) > 0 })
	var took []time.Duration
	for range longtest.Size(10, 100) {
		begin := time.Now()
		for _, id := range w.emitMany(models.EventLinkBroken, 4) {
			w.until(id, func(s state) bool { return s.Status == "delivered" })
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	t.Logf("beside %d deliveries to an endpoint that hangs, four other deliveries take p50 %s, p95 %s", len(stuck),
		took[len(took)/2].Round(time.Millisecond), took[len(took)*95/100].Round(time.Millisecond))
	var delivered int
	err := w.db.GetContext(t.Context(), &delivered, `SELECT count(*) FROM webhook_deliveries
		WHERE endpoint_id = $1 AND status = 'delivered'`, w.endpoint)
	if err != nil || delivered != 0 {
		t.Errorf("%d deliveries to the endpoint that hangs, %v", delivered, err)
	}
}

// watchAttempts records when each attempt was due and began. A due time is recorded only when the previous attempt ends, so an
// attempt that is postponed for lack of a place keeps its first due time.
const watchAttempts = `
CREATE TABLE dues (job uuid, attempt int, due timestamptz);
CREATE TABLE moves (job uuid, attempt int, due timestamptz, began timestamptz);
CREATE INDEX ON dues (job);
CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.state = 'running' AND OLD.state = 'pending' THEN
		INSERT INTO moves SELECT NEW.id, NEW.attempts,
			(SELECT due FROM dues WHERE job = NEW.id AND attempt = NEW.attempts - 1), clock_timestamp();
	ELSIF NEW.state = 'pending' AND OLD.state = 'running' THEN
		INSERT INTO dues VALUES (NEW.id, NEW.attempts, NEW.next_attempt_at);
	END IF;
	RETURN NULL; END $$;
CREATE TRIGGER note_move AFTER UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION note_move()`

// TestSevenAttemptsNeverEarly uses a short schedule. All deliveries are due at the same time. In the long form, with many
// endpoints, 99 of 100 attempts begin within two seconds after their time.
func TestSevenAttemptsNeverEarly(t *testing.T) {
	t.Parallel()
	wait := longtest.Size(1, 4) // seconds
	w := newEnv(t, slices.Repeat([]time.Duration{time.Duration(wait) * time.Second}, 6))
	w.reply(status(http.StatusServiceUnavailable))
	dbtest.Exec(w.t, w.db, watchAttempts)
	endpoints := longtest.Size(1, 50)
	for i := range endpoints - 1 {
		w.endpointAt(fmt.Sprint("/", i), models.EventCampaignPaused)
	}
	n := longtest.Size(25, 200)
	w.emitMany(models.EventCampaignPaused, n/endpoints)
	await.Until(w.t, "all failed", func() bool {
		return dbtest.Get[int](t, w.db, `SELECT count(*) FROM jobs WHERE state = 'failed'`) == n
	})
	if got := dbtest.Get[int](t, w.db, `SELECT count(*) FROM moves`); got != 7*n || len(w.received()) != 7*n {
		t.Errorf("%d attempts, %d requests, want %d", got, len(w.received()), 7*n)
	}
	if early := dbtest.Get[int](t, w.db, `SELECT count(*) FROM moves WHERE attempt > 1 AND began < due OR attempt > 1 AND due IS NULL`); early > 0 {
		t.Errorf("%d attempts were early", early)
	}
	const shorter = `SELECT count(*) FROM moves a JOIN moves b ON a.job = b.job AND b.attempt = a.attempt + 1
		WHERE b.due < a.began + make_interval(secs => $1)`
	if n := dbtest.Get[int](t, w.db, shorter, wait); n > 0 {
		t.Errorf("%d waits were shorter than the schedule", n)
	}
	var late float64
	if err := w.db.GetContext(t.Context(), &late, `SELECT percentile_cont(0.99) WITHIN GROUP
		(ORDER BY extract(epoch FROM began - due)) FROM moves WHERE attempt > 1`); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d deliveries to %d endpoints, seven attempts each, p99 %.2f s late", n, endpoints, late)
	if longtest.On() && late > 2 {
		t.Error("attempts began more than two seconds late")
	}
}

// TestDocumentedSchedule makes each next attempt due immediately, in place of waiting for it.
func TestDocumentedSchedule(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	w.reply(status(http.StatusBadGateway))
	before := time.Now().Add(-time.Second) // clocks may differ
	id, _ := w.emit()
	for i, wait := range jobs.WebhookSchedule {
		w.until(id, func(s state) bool { return s.Attempts == i+1 && s.Job == models.JobPending })
		var due time.Time
		if err := w.db.GetContext(t.Context(), &due, `SELECT next_attempt_at FROM jobs WHERE id = $1`, id); err != nil {
			t.Fatal(err)
		}
		after := time.Now().Add(time.Second)
		if due.Before(before.Add(wait)) || due.After(after.Add(wait)) {
			t.Errorf("attempt %d, between %s and %s, is followed by an attempt at %s, want %s later", i+1, before, after, due, wait)
		}
		before = time.Now().Add(-time.Second)
		dbtest.Exec(w.t, w.db, `UPDATE jobs SET next_attempt_at = clock_timestamp(), generation = generation + 1 WHERE id = $1`, id)
		row := models.JobRef{Kind: models.KindDeliverWebhook, ID: id, Account: w.account, Generation: int64(i + 1)}
		if err := w.client.DispatchRows(t.Context(), row); err != nil {
			t.Fatal(err)
		}
	}
	s := w.until(id, func(s state) bool { return s.Job == models.JobFailed })
	if s.Attempts != 7 || s.Status != "failed" {
		t.Errorf("after the last attempt: %+v", s)
	}
}
