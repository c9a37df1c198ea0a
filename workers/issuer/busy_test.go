package issuer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
	"switchyard/workers/providers/cloudflare"
)

// TestBusy checks that a 429 does not count as an attempt, and that no caller waits for the end of a long pause.
func TestBusy(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", !verified)
	w.fake.Block(time.Hour)
	_, err := w.request(w.account, id)
	w.wantCode(err, "edge_429")
	asked := w.fake.Count("")
	_, err = w.request(w.account, id) // during the pause the issuer is not asked
	w.wantCode(err, "edge_429")
	if c := w.stored(w.account, id); c.Attempts != 0 || c.Failure != "" || w.fake.Count("") != asked {
		t.Errorf("%+v after %d requests", c, w.fake.Count("")-asked)
	}
}

// TestBusyForAMoment checks that a request waits for the end of a short pause.
func TestBusyForAMoment(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	id := w.domain(w.account, "go.shop.example", !verified)
	w.fake.SetNow(time.Now)
	w.fake.Block(time.Second)
	got, err := w.request(w.account, id)
	if err != nil || got.SSLStatus == models.SSLNone || len(w.fake.Hosts()) != 1 {
		t.Errorf("%+v after %d refusals, %v", got, w.fake.Refused(), err)
	}
}

// TestCredentials: if the issuer refuses the credentials, a metric shows it, and the issuer is not asked for every domain.
func TestCredentials(t *testing.T) {
	t.Parallel()
	w := newEnv(t, func(o *cloudflare.Options) { o.Token = "canary-cloudflare-wrong" })
	for i := range 60 {
		w.domain(w.account, fmt.Sprintf("go%d.shop.example", i), verified)
	}
	w.sweep()
	if n := w.fake.Count(""); n == 0 || n > 32 { // far fewer than 60, although a sweep checks 16 domains in parallel
		t.Errorf("the issuer was asked %d times, want 1 to 32", n)
	}
	families, err := w.figures.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(fmt.Sprint(families), `value:"credentials"`) {
		t.Errorf("%v", families)
	}
	asked := w.fake.Count("")
	if w.advance(time.Minute); w.fake.Count("") != asked {
		t.Error("the issuer was asked again only a minute later")
	}
	if w.advance(10 * time.Minute); w.fake.Count("") == asked {
		t.Error("the issuer was never asked again")
	}
}

// TestMany checks that each of a hundred domains gets a hostname at Cloudflare, requested once, and that no row
// or Redis key contains the token.
func TestMany(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	ids := map[uuid.UUID]bool{}
	for i := range 100 {
		ids[w.domain(w.account, fmt.Sprintf("go%d.shop.example", i), verified)] = true
	}
	for range 30 {
		w.advance(time.Minute)
	}
	for id := range ids {
		if c := w.stored(w.account, id); !c.Serving {
			t.Fatalf("%+v", c)
		}
	}
	if n := len(w.fake.Hosts()); n != 100 || w.count("POST") != 100 || w.fake.Refused() != 0 {
		t.Errorf("%d hostnames by %d requests, %d refused; want 100, 100 and 0", n, w.count("POST"), w.fake.Refused())
	}
	var rows []string
	for _, q := range []string{`SELECT t::text FROM certificates t`, `SELECT t::text FROM jobs t`, `SELECT t::text FROM domains t`} {
		var some []string
		if err := w.db.SelectContext(t.Context(), &some, q); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, some...)
	}
	for _, key := range w.redis.Keys(t.Context(), "*").Val() {
		rows = append(rows, w.redis.Dump(t.Context(), key).Val(), fmt.Sprint(w.redis.HGetAll(t.Context(), key).Val()))
	}
	if text := leaked(strings.Join(rows, "\n")); text != "" || len(rows) < 200 {
		t.Errorf("one of %d rows and keys contains the token: %s", len(rows), text)
	}
}
