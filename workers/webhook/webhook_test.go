package webhook_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/delivery"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
)

func TestDelivered(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	w.reply(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusAccepted)
		_, _ = rw.Write(bytes.Repeat([]byte("long"), 20_000)) // more than is read
	})
	id, e := w.emit()
	s := w.until(id, func(s state) bool { return s.Status == "delivered" })
	if s.Attempts != 1 || s.HTTPStatus == nil || *s.HTTPStatus != 202 || s.Error != "" || s.Job != models.JobDone || s.Failing {
		t.Errorf("delivery = %+v", s)
	}
	calls := w.received()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	c := calls[0]
	c.verify(t)
	for name, want := range map[string]string{
		"Switchyard-Event": "campaign.paused", "Switchyard-Delivery": id.String(), "Content-Type": "application/json",
	} {
		if got := c.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !bytes.Equal(c.body, e.Body) || c.header.Get("User-Agent") == "" {
		t.Errorf("body %s, want %s", c.body, e.Body)
	}
}

func TestRetriesKeepBytesAndRenewTheSignature(t *testing.T) {
	t.Parallel()
	w := newEnv(t, []time.Duration{0, 0})
	w.reply(func(rw http.ResponseWriter, _ *http.Request) {
		rw.WriteHeader(http.StatusServiceUnavailable)
		_, _ = rw.Write([]byte("a\x00b\xff" + strings.Repeat("x", 3000)))
	})
	id, e := w.emit()
	s := w.until(id, func(s state) bool { return s.Status == "failed" })
	// In the first MaxAnswer bytes, the zero byte is removed, and the byte that is not valid UTF-8 is replaced.
	if want := "ab\uFFFD" + strings.Repeat("x", models.MaxAnswer-4); s.Answer != want {
		t.Errorf("the log has %d bytes of the answer: %.20q", len(s.Answer), s.Answer)
	}
	if s.Attempts != 3 || *s.HTTPStatus != 503 || s.Error == "" || s.Job != models.JobFailed || s.Failures != 3 || !s.Failing {
		t.Errorf("delivery = %+v", s)
	}
	seen := map[int64]bool{}
	for _, c := range w.received() {
		at := c.verify(t)
		if seen[at] || !bytes.Equal(c.body, e.Body) || c.header.Get("Switchyard-Delivery") != id.String() {
			t.Errorf("the attempt at %d has the time of another attempt (%t), another id or another body: %s", at, seen[at], c.body)
		}
		seen[at] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d attempts arrived, want 3", len(seen))
	}

	a, err := w.redeliver(id)
	if err != nil || a.Delivered || a.Status == nil || *a.Status != 503 || a.Error == "" {
		t.Errorf("redelivery to an endpoint that answers 503: %+v, %v", a, err)
	}
	if s := w.read(id); s.Status != "failed" || s.Attempts != 4 {
		t.Errorf("after the failed redelivery: %+v", s)
	}
	for range 2 {
		w.reply(status(http.StatusNoContent))
		a, err = w.redeliver(id)
		if err != nil || !a.Delivered || *a.Status != 204 || a.Error != "" || a.DeliveryID != id {
			t.Errorf("redeliver: %+v, %v", a, err)
		}
	}
	if s := w.read(id); s.Status != "delivered" || s.Attempts != 6 || s.Failing || s.Failures != 0 {
		t.Errorf("after the redelivery: %+v", s)
	}
	w.reply(status(http.StatusInternalServerError))
	if a, err := w.redeliver(id); err != nil || a.Delivered {
		t.Errorf("redeliver: %+v, %v", a, err)
	}
	if s := w.read(id); s.Status != "delivered" || s.Job != models.JobDone {
		t.Errorf("a failed repetition changed the state of a delivered event: %+v", s)
	}
}

func TestManualSendKeepsTheSchedule(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	w.reply(status(http.StatusNotFound))
	id, _ := w.emit()
	w.until(id, func(s state) bool { return s.Attempts == 1 && s.Job == models.JobPending })
	if _, err := w.redeliver(id); err != nil {
		t.Fatal(err)
	}
	var wait float64
	if err := w.db.GetContext(t.Context(), &wait,
		`SELECT extract(epoch FROM next_attempt_at - now())::float8 FROM jobs WHERE id = $1`, id); err != nil {
		t.Fatal(err)
	}
	s := w.read(id)
	if s.Status != "pending" || s.Attempts != 2 || wait < 50 || wait > 61 {
		t.Errorf("%+v, next in %f s, want the first wait of a minute", s, wait)
	}
}

// TestHostileReceivers: each attempt fails and another is scheduled. Redirects are not followed.
func TestHostileReceivers(t *testing.T) {
	t.Parallel()
	w := newEnv(t, []time.Duration{time.Hour}, 500*time.Millisecond)
	var redirected atomic.Int64
	target := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { redirected.Add(1) }))
	t.Cleanup(target.Close)
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	for name, fn := range map[string]http.HandlerFunc{
		"redirect": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, target.URL, http.StatusTemporaryRedirect)
		},
		"silence": func(http.ResponseWriter, *http.Request) { <-hang },
		"slow body": func(rw http.ResponseWriter, _ *http.Request) {
			rw.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(rw).Flush()
			<-hang
		},
		"cut body": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Length", "1000")
			_, _ = rw.Write([]byte("short"))
			_ = http.NewResponseController(rw).Flush()
			panic(http.ErrAbortHandler)
		},
		"huge header": func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("X", strings.Repeat("x", 100_000))
		},
		"flood of 1xx": func(rw http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				rw.WriteHeader(http.StatusEarlyHints)
			}
		},
		"drip": func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(http.StatusServiceUnavailable)
			for tick := time.NewTicker(20 * time.Millisecond); r.Context().Err() == nil; <-tick.C {
				_, _ = rw.Write([]byte("x"))
				_ = http.NewResponseController(rw).Flush()
			}
		},
		"endless body": func(rw http.ResponseWriter, r *http.Request) {
			rw.WriteHeader(http.StatusBadGateway)
			for block := make([]byte, 64<<10); r.Context().Err() == nil; {
				if _, err := rw.Write(block); err != nil {
					return
				}
			}
		},
		"moved for good": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, target.URL, http.StatusPermanentRedirect)
		},
		"see other": func(rw http.ResponseWriter, r *http.Request) {
			http.Redirect(rw, r, target.URL, http.StatusSeeOther)
		},
	} {
		w.reply(fn)
		id, _ := w.emit()
		s := w.until(id, func(s state) bool { return s.Attempts == 1 && s.Job == models.JobPending })
		if s.Status != "pending" || s.Error == "" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if redirected.Load() != 0 {
		t.Error("a redirect was followed")
	}
}

// TestPrivateAddressIsNotCalled: the error is the same as for an address where nothing listens.
func TestPrivateAddressIsNotCalled(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	var texts []string
	for _, a := range []string{"10.0.0.1", "::1", "169.254.169.254", "::ffff:192.168.0.1", "64:ff9b::7f00:1"} {
		w.resolve(a)
		answer, err := runJob(w, jobs.TestWebhook, w.account, w.endpoint)
		if err != nil || answer.Delivered || answer.Status != nil {
			t.Errorf("%s: %+v, %v", a, answer, err)
		}
		texts = append(texts, answer.Error)
	}
	w.receiver.Close()
	w.resolve("127.0.0.1")
	refused, err := runJob(w, jobs.TestWebhook, w.account, w.endpoint)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if text != refused.Error || text == "" {
			t.Errorf("blocked %q, refused %q: the texts reveal whether a private address answers", text, refused.Error)
		}
	}
	if n := len(w.received()); n != 0 {
		t.Errorf("%d requests arrived at the receiver, want none", n)
	}
}

func TestPing(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	a, err := runJob(w, jobs.TestWebhook, w.account, w.endpoint)
	if err != nil || !a.Delivered || *a.Status != 200 || a.Error != "" {
		t.Fatalf("ping: %+v, %v", a, err)
	}
	calls := w.received()
	if len(calls) != 1 || calls[0].header.Get("Switchyard-Event") != "ping" ||
		calls[0].header.Get("Switchyard-Delivery") != a.DeliveryID.String() {
		t.Errorf("calls: %+v", calls)
	}
	calls[0].verify(t)
	w.reply(status(http.StatusTeapot))
	a, err = runJob(w, jobs.TestWebhook, w.account, w.endpoint)
	if s := w.read(a.DeliveryID); err != nil || a.Delivered || s.Status != "failed" || s.Attempts != 1 {
		t.Errorf("a failing ping: %+v, %+v, %v", a, s, err)
	}
	notFound := models.NotFound("") // of any kind of record
	for name, c := range map[string]struct {
		job jobs.Job[jobs.WebhookArgs, jobs.WebhookAnswer]
		id  uuid.UUID
	}{"test": {jobs.TestWebhook, w.endpoint}, "redeliver": {jobs.RedeliverWebhook, a.DeliveryID}} {
		if _, err := runJob(w, c.job, uuid.New(), c.id); !errors.Is(err, notFound) {
			t.Errorf("%s for a record of another account: %v", name, err)
		}
		if _, err := runJob(w, c.job, w.account, uuid.New()); !errors.Is(err, notFound) {
			t.Errorf("%s for an unknown id: %v", name, err)
		}
	}
}

// TestSwitchedOffEndpointEndsQuietly: the delivery fails without an attempt, and does not count as a failure of the endpoint.
func TestSwitchedOffEndpointEndsQuietly(t *testing.T) {
	t.Parallel()
	w := newEnv(t, nil)
	e := models.NewEvent(w.account, models.EventCampaignPaused, time.Now(), nil)
	ids, err := delivery.AddEvent(t.Context(), w.db, e)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(w.t, w.db, `UPDATE webhook_endpoints SET active = false`)
	w.client.DispatchFor(t.Context(), uuid.Nil, models.KindDeliverWebhook, ids...)
	s := w.until(ids[0], func(s state) bool { return s.Job == models.JobDone })
	if s.Status != "failed" || s.Error == "" || s.Attempts != 0 || s.Failures != 0 || len(w.received()) != 0 {
		t.Errorf("delivery = %+v", s)
	}
}

// TestParallelRedeliver: while a delivery is being sent, further redeliveries are refused.
func TestParallelRedeliver(t *testing.T) {
	t.Parallel()
	w := newEnv(t, []time.Duration{time.Hour}, await.Timeout) // the first redelivery waits while all others are refused
	w.reply(status(http.StatusBadGateway))
	id, _ := w.emit()
	w.until(id, func(s state) bool { return s.Attempts == 1 && s.Job == models.JobPending })
	begun, finish := make(chan struct{}, 64), make(chan struct{})
	w.reply(func(http.ResponseWriter, *http.Request) {
		begun <- struct{}{}
		<-finish
	})
	const callers = 50
	results := make(chan error, callers)
	redeliver := func() {
		a, err := w.redeliver(id)
		if err == nil && !a.Delivered {
			err = errors.New(a.Error)
		}
		results <- err
	}
	go redeliver()
	await.Recv(t, begun)
	for range callers - 1 {
		go redeliver()
	}
	for range callers - 1 {
		if err := <-results; !errors.Is(err, models.Conflict("in_progress", "")) {
			t.Errorf("redelivery during an attempt: %v", err)
		}
	}
	close(finish)
	if err := <-results; err != nil {
		t.Errorf("the first redelivery, which no other redelivery may stop, failed: %v", err)
	}
	for range 2 {
		if a, err := w.redeliver(id); err != nil || !a.Delivered {
			t.Errorf("a later redelivery: %+v, %v", a, err)
		}
	}
}
