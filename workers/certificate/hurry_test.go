package certificate_test

import (
	"testing"
	"time"

	"switchyard/db"
	"switchyard/models"
)

// TestHurry: a visitor who asks for a certificate in vain makes it due, unless it fails again and again, serves, or was
// released.
func TestHurry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.domain(w.account, "go.shop.example", true)
	now := w.clock()
	if err := w.store.Certificates().Want(t.Context(), storeOf(w.account, id), models.EdgeCloudflare, now); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		set string
		due bool
	}{
		{"attempts = 2", true},
		{"attempts = 3", false},
		{"serving = true", false},
		{"wanted = false", false},
		{"host = 'other.shop.example'", false},
	} {
		later := now.Add(time.Hour)
		w.exec(`UPDATE certificates SET attempts = 0, serving = false, wanted = true, host = 'go.shop.example' WHERE domain_id = $1`, id)
		w.exec(`UPDATE certificates SET next_at = $2, `+tt.set+` WHERE domain_id = $1`, id, later)
		if err := w.store.Certificates().Hurry(t.Context(), "go.shop.example", now); err != nil {
			t.Fatal(err)
		}
		due, err := db.Get[bool](t.Context(), w.db, "due", `SELECT next_at <= $2 FROM certificates WHERE domain_id = $1`, id, now)
		if err != nil || due != tt.due {
			t.Errorf("%s: due %t, %v", tt.set, due, err)
		}
	}
}
