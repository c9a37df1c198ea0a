package acme_test

import (
	"testing"
	"time"

	"switchyard/models/parttest"
	"switchyard/workers/issuer/acme"
)

// TestUnavailableForAnHour checks that an unavailable CA is asked again after growing waits, and that the old certificate stays.
// When the CA is back, the certificate is renewed.
func TestUnavailableForAnHour(t *testing.T) {
	parttest.Edge.Only(t)
	t.Parallel()
	w := newEnv(t)
	ca := w.ca(nil)
	now := time.Now()
	i := w.issuer(acme.Options{Now: func() time.Time { return now }}, ca)
	tick := func() (attempts int) {
		if err := acme.RenewOwn(i, t.Context(), "app.example.org"); err != nil {
			t.Fatal(err)
		}
		attempts, _, err := w.store.Attempts(t.Context(), "app.example.org")
		if err != nil {
			t.Fatal(err)
		}
		return attempts
	}
	if tick() != 0 || ca.Orders() != 1 {
		t.Fatalf("the first certificate failed or took %d orders, want 1", ca.Orders())
	}
	first, _, err := w.store.Find(t.Context(), "app.example.org")
	if err != nil {
		t.Fatal(err)
	}
	ca.Stop()
	now = first.RenewAt.Add(time.Second)
	tried := map[int]bool{}
	for range 60 {
		tried[tick()] = true
		now = now.Add(time.Minute)
	}
	// The waits are 1, 2, 4, 8, 16 and 32 minutes.
	if len(tried) != 6 {
		t.Errorf("the CA was asked %d times within an hour, want 6", len(tried))
	}
	if kept, ok, err := w.store.Find(t.Context(), "app.example.org"); err != nil || !ok || string(kept.PEM) != string(first.PEM) {
		t.Errorf("the previous certificate did not stay (any certificate stored: %t), %v", ok, err)
	}
	ca.Restart()
	for range 60 {
		if tick() == 0 {
			break
		}
		now = now.Add(time.Minute)
	}
	renewed, _, err := w.store.Find(t.Context(), "app.example.org")
	if err != nil || string(renewed.PEM) == string(first.PEM) {
		t.Fatalf("the certificate was not renewed: %v", err)
	}
	verify(t, renewed, ca)
}
