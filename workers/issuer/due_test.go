package issuer_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/models"
)

// TestNeededCertificateBecomesDue checks when a visitor makes a requested certificate due at once.
func TestNeededCertificateBecomesDue(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", verified)
	now := w.clock()
	if err := w.store.Certificates().Request(t.Context(), storeOf(w.account, id), models.EdgeCloudflare, now); err != nil {
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
		dbtest.Exec(w, w.db, `UPDATE certificates SET attempts = 0, serving = false, wanted = true, host = 'go.shop.example' WHERE domain_id = $1`, id)
		dbtest.Exec(w, w.db, `UPDATE certificates SET next_at = $2, `+tt.set+` WHERE domain_id = $1`, id, later)
		if err := w.store.Certificates().MakeDue(t.Context(), "go.shop.example", now); err != nil {
			t.Fatal(err)
		}
		due, err := db.Get[bool](t.Context(), w.db, "due", `SELECT next_at <= $2 FROM certificates WHERE domain_id = $1`, id, now)
		if err != nil || due != tt.due {
			t.Errorf("after %s, the certificate is due: %t, want %t (error %v)", tt.set, due, tt.due, err)
		}
	}
}

// TestDomainIsCheckedAfterItsHTTPSChanged checks that a domain is checked soon after its HTTPS has started or stopped working.
func TestDomainIsCheckedAfterItsHTTPSChanged(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", verified)
	wantDue := func(want bool) {
		t.Helper()
		got, err := db.Get[bool](t.Context(), w.db, "due", `SELECT due_at <= $2 FROM domain_checks WHERE domain_id = $1`, id, w.clock().Add(time.Minute))
		if err != nil || got != want {
			t.Errorf("the check of the domain is due: %t, want %t: %v", got, want, err)
		}
		dbtest.Exec(w, w.db, `UPDATE domain_checks SET due_at = $2 WHERE domain_id = $1`, id, w.clock().Add(24*time.Hour))
	}
	dbtest.Exec(w, w.db, `INSERT INTO domain_checks (domain_id, account_id, due_at) VALUES ($1, $2, $3)`, id, w.account, w.clock().Add(24*time.Hour))
	w.advance(time.Second)
	wantDue(false)
	w.serving(id)
	wantDue(true)
	if _, err := w.release(w.account, id); err != nil {
		t.Fatal(err)
	}
	wantDue(true)
}

// TestAnswerWithoutCertificate checks that the answer says whether and when the domain will get a certificate.
func TestAnswerWithoutCertificate(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	unverified, verified := w.domain(w.account, "a.shop.example", !verified), w.domain(w.account, "b.shop.example", verified)
	wantDetail := func(id uuid.UUID, want string) {
		t.Helper()
		got, err := w.read(w.account, id)
		if err != nil || got.SSLStatus != models.SSLNone || got.Detail != want {
			t.Errorf("%+v, %v, want %q", got, err, want)
		}
	}
	wantDetail(unverified, "The certificate will be requested once the domain is verified.")
	wantDetail(verified, "The certificate will be requested in a moment.")
	w.serving(verified)
	if _, err := w.release(w.account, verified); err != nil {
		t.Fatal(err)
	}
	wantDetail(verified, "The certificate was released. No new certificate is obtained until you request one.")
}

// serving advances the clock until a domain is served over HTTPS.
func (w *env) serving(id uuid.UUID) {
	w.Helper()
	for range 30 {
		if w.stored(w.account, id).Serving {
			return
		}
		w.advance(time.Minute)
	}
	w.Fatal("the domain is not served over HTTPS")
}
