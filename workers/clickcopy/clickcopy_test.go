package clickcopy_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db/click"
	dbclickcopy "switchyard/db/clickcopy"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/dbtest"
	"switchyard/models/await"
	"switchyard/workers/clickcopy"
)

// fakeClickHouse counts the rows of clicks, records the deleted accounts and can be unavailable.
type fakeClickHouse struct {
	mu      sync.Mutex
	down    bool
	rows    int
	dropped []uuid.UUID
}

var errDown = errors.New("down")

func (s *fakeClickHouse) Put(_ context.Context, t schema.Table, rows iter.Seq[[]any]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return errDown
	}
	for range rows {
		if t.Name == "clicks" {
			s.rows++
		}
	}
	return nil
}

func (s *fakeClickHouse) DeleteAccounts(_ context.Context, t schema.Table, accounts []uuid.UUID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Name == "clicks" {
		s.dropped = append(s.dropped, accounts...)
	}
	return nil
}

func (s *fakeClickHouse) Ensure(context.Context, ...schema.Table) error             { return nil }
func (s *fakeClickHouse) DropPartition(context.Context, schema.Table, string) error { return nil }
func (s *fakeClickHouse) Exec(context.Context, string, string, ...any) error        { return nil }
func (s *fakeClickHouse) Each(context.Context, string, func(func(...any) error) error, string, ...any) error {
	return nil
}

func (s *fakeClickHouse) setDown(down bool) { s.mu.Lock(); defer s.mu.Unlock(); s.down = down }

func (s *fakeClickHouse) count() int { s.mu.Lock(); defer s.mu.Unlock(); return s.rows }

// TestForwarder checks that only one of two forwarders sends changes, and that changes wait while ClickHouse is unavailable. The
// rows of an account that was deleted an hour ago are deleted. The rows of an account that was deleted just now stay.
func TestForwarder(t *testing.T) {
	t.Parallel()
	d, s, account := dbtest.New(t), &fakeClickHouse{}, uuid.New()
	k := dbclickcopy.Copy{From: d, To: s}
	if err := k.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := (click.Log{Conn: d}).EnsurePartition(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	deleted := uuid.New()
	dbtest.Exec(t, d, `INSERT INTO click_forgotten VALUES ($1, now() - interval '1 hour'), ($2, now())`, deleted, uuid.New())
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	var registries []*prometheus.Registry
	for range 2 {
		r := prometheus.NewRegistry()
		registries = append(registries, r)
		running.Go(func() {
			if err := (&clickcopy.Forwarder{Copy: k, Locks: d, Flush: time.Millisecond, Metrics: r}).Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	addChange := func() {
		dbtest.Exec(t, d, `INSERT INTO click_changes (account_id, click_id, removed) VALUES ($1, $2, true)`, account, uuid.Must(uuid.NewV7()))
	}
	addChange()
	await.Until(t, "a change is copied", func() bool { return s.count() == 1 })
	s.setDown(true)
	addChange()
	figure := func(name string) (n float64) {
		for _, r := range registries {
			families, err := r.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range families {
				if f.GetName() == "switchyard_click_copy_"+name {
					n += f.GetMetric()[0].GetCounter().GetValue()
				}
			}
		}
		return n
	}
	await.Until(t, "a failure is counted", func() bool { return figure("failures_total") > 0 })
	s.setDown(false)
	await.Until(t, "the change is copied", func() bool { return s.count() == 2 })
	await.Until(t, "nothing waits", func() bool {
		w, err := dbclickcopy.ReadWaiting(t.Context(), d)
		return err == nil && w.Changes == 0
	})
	cancel()
	running.Wait()
	if len(s.dropped) != 1 || s.dropped[0] != deleted {
		t.Errorf("dropped accounts %v, want %s", s.dropped, deleted)
	}
	if n := figure("changes_total"); n != 2 {
		t.Errorf("%v changes are counted as copied, want 2", n)
	}
}
