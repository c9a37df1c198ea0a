package middleware

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"

	"switchyard/api/route"
	"switchyard/db/kv"
)

// TestFloodOfRefusalsIsSlowed: a caller that continues after many refusals waits for each further refusal. No other caller waits.
func TestFloodOfRefusalsIsSlowed(t *testing.T) {
	t.Parallel()
	f := newRefusals()
	now, pauses := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), 0
	f.now, f.pause = func() time.Time { return now }, func(context.Context) { pauses++ }
	refuse := func(account uuid.UUID, peer string, status int) (paused bool) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = peer
		c := route.NewCall(r, &route.Route{}, http.Header{})
		c.Account.ID = account
		before := pauses
		f.delay(c, status)
		return pauses > before
	}
	flooder, other := uuid.New(), uuid.New()
	flood := func(account uuid.UUID, peer string) {
		t.Helper()
		for n := range refusalBurst + 5 {
			if paused := refuse(account, peer, http.StatusTooManyRequests); paused != (n >= refusalBurst) {
				t.Fatalf("refusal %d is delayed: %v, want %v", n, paused, n >= refusalBurst)
			}
		}
	}
	flood(flooder, "192.0.2.1:1")
	flood(uuid.Nil, "192.0.2.1:1")
	for name, paused := range map[string]bool{
		"another account": refuse(other, "192.0.2.1:2", http.StatusTooManyRequests),
		"another address": refuse(uuid.Nil, "192.0.2.2:1", http.StatusUnauthorized),
		"a success":       refuse(flooder, "192.0.2.1:1", http.StatusOK),
		"a bad request":   refuse(flooder, "192.0.2.1:1", http.StatusBadRequest),
	} {
		if paused {
			t.Errorf("%s is delayed, although only the flooding caller's refusals with 401 and 429 should be", name)
		}
	}
	if !refuse(uuid.Nil, "192.0.2.1:9", http.StatusUnauthorized) {
		t.Error("a wrong key of the same address does not wait")
	}
	f.delayed = semaphore.NewWeighted(0)
	if refuse(flooder, "192.0.2.1:1", http.StatusTooManyRequests) {
		t.Error("a refusal is delayed although no more refusals may wait at the same time")
	}
	f.delayed = semaphore.NewWeighted(1)
	now = now.Add(time.Second)
	if refuse(flooder, "192.0.2.1:1", http.StatusTooManyRequests) {
		t.Error("the caller still waits after a second")
	}
}

// TestUsedCallsAreRemembered: a key whose calls are used up is remembered until its minute ends.
func TestUsedCallsAreRemembered(t *testing.T) {
	t.Parallel()
	f := newRefusals()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.now = func() time.Time { return now }
	f.markExhausted("a", kv.Window{Limit: 60, Reset: 30 * time.Second, Over: true})
	now = now.Add(20 * time.Second)
	if w, ok := f.exhausted("a"); !ok || w.Limit != 60 || w.Reset != 10*time.Second {
		t.Errorf("the remembered window is %+v (found: %v), want 60 calls and 10 seconds left", w, ok)
	}
	if _, ok := f.exhausted("b"); ok {
		t.Error("another key counts as used up")
	}
	now = now.Add(10 * time.Second)
	if _, ok := f.exhausted("a"); ok {
		t.Error("the key counts as used up after its minute")
	}
}
