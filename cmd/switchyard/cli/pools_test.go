package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	"switchyard/api/route"
	"switchyard/db/dbtest"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/ops/config"
)

// TestReportsHaveTheirPool: waiting reports use up the report pool, but no connection for keys and records.
func TestReportsHaveTheirPool(t *testing.T) {
	t.Parallel()
	d, url := dbtest.NewURL(t)
	p, err := openPools(config.Config{DatabaseURL: url}, "web", (&webCmd{}).pools())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() })
	redis, err := jobs.OpenRedis(os.Getenv("TEST_REDIS_URL"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Close() })
	w := web{
		cfg: config.Config{RedisURL: os.Getenv("TEST_REDIS_URL")}, pools: p, redis: redis, client: jobs.Connect(redis),
		registry: p.registry(),
	}
	if w.visitors, err = w.openVisitors(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.visitors.Close() })
	h, err := w.handlers(nil)
	if err != nil {
		t.Fatal(err)
	}
	box, err := seal.New(d)
	if err != nil {
		t.Fatal(err)
	}
	records := store.New(d, box)
	newKey := func() string {
		account, err := records.CreateAccount(t.Context(), "A", "scale")
		if err != nil {
			t.Fatal(err)
		}
		_, key, err := records.CreateKey(t.Context(), account.ID, "k", models.ScopeFull, 0)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	get := func(key, path string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1"+path, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		return answer.Code
	}
	lock, err := d.BeginTxx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Rollback()
	dbtest.Exec(t, lock, `LOCK ledger_rollups`)
	var all sync.WaitGroup
	for range route.Reads.Places { // twice as many reports as can run at once
		key := newKey()
		for range route.Reads.Running {
			all.Go(func() { get(key, "/reports/performance") })
		}
	}
	await.Until(t, "every connection for reports waits", func() bool { return waiting(t, d.GetContext) == route.Reads.Places })
	key := newKey()
	for _, path := range []string{"/plan", "/offers/missing", "/rules"} {
		if code := get(key, path); code >= http.StatusInternalServerError {
			t.Errorf("while reports wait, %s is answered with %d, want no server error", path, code)
		}
	}
	if n := waiting(t, d.GetContext); n > route.Reads.Places {
		t.Errorf("%d connections wait for a lock, want at most those of the report pool", n)
	}
	if err := lock.Rollback(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
}

func waiting(t *testing.T, get func(ctx context.Context, into any, query string, args ...any) error) (n int) {
	t.Helper()
	const q = `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name LIKE 'switchyard-web-%' AND wait_event_type = 'Lock'`
	if err := get(t.Context(), &n, q); err != nil {
		t.Fatal(fmt.Errorf("look at connections: %w", err))
	}
	return n
}

// TestConnections: the pools of each process have as many connections as ops/README.md states. The connection that listens for
// changes is in no pool.
func TestConnections(t *testing.T) {
	t.Parallel()
	for process, c := range map[string]struct {
		pools []pool
		want  int
	}{
		"web": {(&webCmd{}).pools(), 24}, "worker": {workerPools, 21}, "clock": {[]pool{clockPool}, 2},
		"up": {upPools, 45},
	} {
		n := 0
		for _, p := range c.pools {
			n += p.conns
		}
		if n != c.want {
			t.Errorf("the pools of %s have %d connections, want %d", process, n, c.want)
		}
	}
}
