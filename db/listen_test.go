package db_test

import (
	"context"
	"testing"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/models/await"
)

func TestListenDeliversAndResyncsAfterALoss(t *testing.T) {
	t.Parallel()
	d, url := dbtest.NewURL(t)
	ctx, cancel := context.WithCancel(t.Context())
	notices := make(chan db.Notice, 16)
	done := make(chan error, 1)
	go func() {
		done <- db.Listen(ctx, url, "routing", func(_ context.Context, n db.Notice) { notices <- n })
	}()
	next := func() db.Notice {
		t.Helper()
		return await.Recv(t, notices)
	}
	notify := func(text string) {
		t.Helper()
		if _, err := d.ExecContext(ctx, `SELECT pg_notify('routing', $1)`, text); err != nil {
			t.Fatal(err)
		}
	}
	if n := next(); !n.Resync {
		t.Fatalf("the first notice is %+v, want Resync", n)
	}
	notify("offers:1")
	if n := next(); n.Resync || n.Payload != "offers:1" {
		t.Fatalf("the next notice is %+v, want offers:1", n)
	}
	const kill = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND query ILIKE 'LISTEN%'`
	var killed int
	if err := d.GetContext(ctx, &killed, kill); err != nil || killed != 1 {
		t.Fatalf("%d connections of listeners were ended, %v, want one", killed, err)
	}
	if n := next(); !n.Resync {
		t.Fatalf("the notice after the lost connection is %+v, want Resync", n)
	}
	notify("offers:2")
	if n := next(); n.Payload != "offers:2" {
		t.Fatalf("the next notice is %+v, want offers:2", n)
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
