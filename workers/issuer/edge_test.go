package issuer_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers/issuer"
)

// scriptedIssuer answers what the test has set.
type scriptedIssuer struct {
	mu     sync.Mutex
	state  models.CertificateState
	err    error
	calls  map[string]int // by method
	hang   bool
	begun  chan struct{} // receives a value when a hanging request has begun
	ending error         // why the hanging request has ended
}

func (s *scriptedIssuer) Name() string { return models.EdgeOwn }

func (s *scriptedIssuer) answer(ctx context.Context, what string) (models.CertificateState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[what]++
	if s.hang {
		s.mu.Unlock()
		s.begun <- struct{}{}
		<-ctx.Done()
		s.mu.Lock()
		s.ending = ctx.Err()
		return models.CertificateState{}, ctx.Err()
	}
	return s.state, s.err
}

func (s *scriptedIssuer) Request(ctx context.Context, _ models.Certificate) (models.CertificateState, error) {
	return s.answer(ctx, "request")
}

func (s *scriptedIssuer) Read(ctx context.Context, _ models.Certificate) (models.CertificateState, error) {
	return s.answer(ctx, "read")
}

func (s *scriptedIssuer) Release(ctx context.Context, _ models.Certificate) error {
	_, err := s.answer(ctx, "release")
	return err
}

func (s *scriptedIssuer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *scriptedIssuer) count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[what]
}

func scriptedEnv(t *testing.T) (*env, *scriptedIssuer) {
	t.Helper()
	w, e := newEnvWithoutWorker(t), &scriptedIssuer{calls: map[string]int{}, begun: make(chan struct{}, 9)}
	e.state = models.CertificateState{ExternalID: "x", SSLStatus: models.SSLActive, Serving: true}
	w.start(issuer.Options{Issuer: e})
	return w, e
}

// TestOwnEdge: an issuer that does not verify owners is asked only for verified domains. It is asked to renew at the time that it
// has set. Its internal errors are reported without their text.
func TestOwnEdge(t *testing.T) {
	t.Parallel()
	w, e := scriptedEnv(t)
	id := w.domain(w.account, "go.shop.example", !verified)
	_, err := w.request(w.account, id)
	w.wantCode(err, "edge_unverified")
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = true WHERE id = $1`, id)
	renew := w.clock().Add(60 * day)
	e.set(func() { e.state.RenewAt = &renew })
	if w.sweep(); !w.stored(w.account, id).Serving || e.count("request") != 1 {
		t.Fatalf("%+v", w.stored(w.account, id))
	}
	if w.advance(30 * day); e.count("request") != 1 || e.count("read") != 1 {
		t.Errorf("calls of the edge after a month: %v, want 1 request and 1 read", e.calls)
	}
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = false WHERE id = $1`, id)
	if w.advance(31 * day); e.count("request") != 1 || e.count("read") != 1 {
		t.Errorf("calls of the edge after the domain is no longer verified: %v, want no further call", e.calls)
	}
	dbtest.Exec(w, w.db, `UPDATE domains SET is_verified = true WHERE id = $1`, id)
	if w.advance(7 * time.Hour); e.count("request") != 2 {
		t.Errorf("the certificate was not renewed: %v", e.calls)
	}
	e.set(func() { e.err = errors.New("secret words") })
	_, err = w.read(w.account, id)
	w.wantCode(err, "edge_unavailable")
	if c := w.stored(w.account, id); !c.Serving || c.Failure == "" || c.Failure != "edge_unavailable: the edge could not be asked" {
		t.Errorf("%+v", c)
	}
}

// TestReleaseEndsARequest checks that a release ends a running request, whose results are not recorded.
func TestReleaseEndsARequest(t *testing.T) {
	t.Parallel()
	w, e := scriptedEnv(t)
	id := w.domain(w.account, "go.shop.example", verified)
	e.set(func() { e.hang = true })
	done := make(chan error, 1)
	go func() {
		_, err := w.request(w.account, id)
		done <- err
	}()
	await.Recv(t, e.begun)
	e.set(func() { e.hang = false })
	if released, err := w.release(w.account, id); err != nil || !released.Deleted {
		t.Errorf("%+v, %v", released, err)
	}
	if e.count("release") != 0 {
		t.Error("the edge was asked to release the host during a request")
	}
	w.wantCode(await.Recv(t, done), "edge_released")
	if c := w.stored(w.account, id); c.Wanted || c.ExternalID != "" || e.ending == nil {
		t.Errorf("%+v", c)
	}
	w.until("the edge releases the host", func() bool { return e.count("release") == 1 })
}

// TestTooMany checks that an account that requests very many certificates has to wait, and that other accounts and renewals do
// not.
func TestTooMany(t *testing.T) {
	t.Parallel()
	w, e := newEnvWithoutWorker(t), &scriptedIssuer{calls: map[string]int{}}
	e.state = models.CertificateState{ExternalID: "x", SSLStatus: models.SSLActive, Serving: true}
	var mu sync.Mutex
	left := map[uuid.UUID]int{w.account: 3, w.other: 3}
	order := func(_ context.Context, account uuid.UUID) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		if left[account]--; left[account] < 0 {
			return time.Minute
		}
		return 0
	}
	w.start(issuer.Options{Issuer: e, Orders: order})
	ids := make([]uuid.UUID, 8)
	for n := range ids {
		ids[n] = w.domain(w.account, fmt.Sprintf("h%d.shop.example", n), verified)
	}
	other := w.domain(w.other, "go.other.example", verified)
	w.sweep()
	serving := func() (n int) {
		for _, id := range ids {
			c := w.stored(w.account, id)
			if c.Serving {
				n++
			} else if c.Attempts != 0 || c.Failure != "" || c.Detail == "" {
				t.Errorf("the certificate that has to wait is %+v, want a detail and no failure", c)
			}
		}
		return n
	}
	if n := serving(); n != 3 || e.count("request") != 4 || !w.stored(w.other, other).Serving {
		t.Fatalf("%d domains are served after %d requests, want 3 after 4", n, e.count("request"))
	}
	for _, id := range ids {
		if !w.stored(w.account, id).Serving {
			_, err := w.request(w.account, id)
			w.wantCode(err, "edge_too_many")
			break
		}
	}
	w.sweep()
	if e.count("request") != 4 {
		t.Errorf("%d requests after another sweep, want 4", e.count("request"))
	}
	// The certificates of the three served domains are due. Their renewal does not wait.
	dbtest.Exec(w, w.db, `UPDATE certificates SET renew_at = $1, next_at = $1 WHERE serving AND account_id = $2`, w.clock(), w.account)
	w.sweep()
	if e.count("request") != 7 {
		t.Errorf("%d requests after the three renewals, want 7", e.count("request"))
	}
	mu.Lock()
	left[w.account] = 100
	mu.Unlock()
	w.advance(2 * time.Hour)
	if n := serving(); n != len(ids) {
		t.Errorf("%d domains are served at the end, want all", n)
	}
}

// TestManyCalls checks that an account has to wait if its users cause too many requests to the issuer.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	w, e := newEnvWithoutWorker(t), &scriptedIssuer{calls: map[string]int{}}
	e.state = models.CertificateState{ExternalID: "x", SSLStatus: models.SSLActive, Serving: true}
	left := 2
	w.start(issuer.Options{Issuer: e, Calls: func(context.Context, uuid.UUID) time.Duration {
		if left--; left < 0 {
			return time.Minute
		}
		return 0
	}})
	id := w.domain(w.account, "go.shop.example", verified)
	w.sweep()
	for range 2 {
		if c, err := w.read(w.account, id); err != nil || !c.Serving {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	before := w.stored(w.account, id)
	_, err := w.read(w.account, id)
	w.wantCode(err, "edge_too_many")
	if after := w.stored(w.account, id); !after.Serving || after.Detail != before.Detail || e.count("read") != 2 {
		t.Errorf("the issuer was asked %d times, the certificate is %+v", e.count("read"), after)
	}
}

// TestUnavailableIssuerIsAskedHourly checks that an unreachable issuer is still asked at least hourly after half a day, unlike an
// issuer that refuses.
func TestUnavailableIssuerIsAskedHourly(t *testing.T) {
	t.Parallel()
	for code, often := range map[string]bool{"unreachable": true, "unavailable": true, "rejectedIdentifier": false} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w, e := scriptedEnv(t)
			e.set(func() { e.err = models.EdgeError(code, "no") })
			id := w.domain(w.account, "go.shop.example", verified)
			w.sweep()
			for range 12 * 6 { // half a day
				w.advance(10 * time.Minute)
			}
			before := e.count("request")
			for range 8 {
				w.advance(10 * time.Minute)
			}
			if asked := e.count("request") - before; (asked > 0) != often {
				t.Errorf("the issuer was asked %d times in the 80 minutes after half a day, and %d times before", asked, before)
			}
			e.set(func() { e.err = nil })
			w.advance(48 * time.Hour)
			if !w.stored(w.account, id).Serving {
				t.Error("the domain is not served although the edge is back")
			}
		})
	}
}

// TestAskedAgain checks which requests count as orders: a repetition while the certificate is under way does not.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	w, e := newEnvWithoutWorker(t), &scriptedIssuer{calls: map[string]int{}}
	e.state = models.CertificateState{ExternalID: "x", SSLStatus: models.SSLIssuanceTimeout}
	var orders atomic.Int32
	w.start(issuer.Options{Issuer: e, Orders: func(context.Context, uuid.UUID) time.Duration {
		orders.Add(1)
		return 0
	}})
	id := w.domain(w.account, "go.shop.example", verified)
	sweep := func(requests, want int) {
		t.Helper()
		dbtest.Exec(w, w.db, `UPDATE certificates SET next_at = $1 WHERE domain_id = $2`, w.clock(), id)
		w.sweep()
		if n := int(orders.Load()); n != want || e.count("request") != requests {
			t.Errorf("%d orders by %d requests, want %d by %d", n, e.count("request"), want, requests)
		}
	}
	sweep(1, 1)
	sweep(2, 1)
	e.set(func() { e.err = models.EdgeError("refused", "the authority refuses the host") })
	sweep(3, 1)
	sweep(4, 2)
	if _, err := w.request(w.account, id); err == nil || orders.Load() != 3 {
		t.Errorf("%d orders after a user has asked, want 3 and an error: %v", orders.Load(), err)
	}
}
