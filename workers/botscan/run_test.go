package botscan

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbbotscan "switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bot"
)

// TestScanIsBounded checks that a scan ends although clicks are left. While the service is busy, the scan rests after each batch.
func TestScanIsBounded(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	account := uuid.New()
	const owner = `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2)`
	dbtest.Exec(t, d, owner, account, account.String())
	for _, busy := range []bool{false, true} {
		if busy {
			const strained = `INSERT INTO spool_states (process, seen_at, rest_until) VALUES ($1, now(), now() + interval '1 hour')`
			if _, err := d.ExecContext(t.Context(), strained, uuid.New()); err != nil {
				t.Fatal(err)
			}
		}
		batches, rests := 0, 0
		w := &worker{store: store.New(d, nil), pause: func(context.Context, time.Duration) error {
			rests++
			return nil
		}}
		w.Clicks = click.Log{Conn: d}
		w.Scan = func(context.Context, click.Log, db.Conn, *dbbotscan.Crowd, dbbotscan.Progress, bot.Settings, int) (dbbotscan.Scanned, error) {
			batches++
			return dbbotscan.Scanned{After: models.NewClickID()}, nil // there is always another click
		}
		if err := w.scan(t.Context(), account); err != nil {
			t.Fatal(err)
		}
		var released bool // the account is free for the next scan
		const state = `SELECT behind AND leased_until IS NULL FROM bot_scans WHERE account_id = $1`
		if err := d.GetContext(t.Context(), &released, state, account); err != nil {
			t.Fatal(err)
		}
		if batches == 0 || batches > batchesAtOnce || !released {
			t.Errorf("%d batches, want 1 to the limit; released for the next scan: %v, want true", batches, released)
		}
		if busy && rests != batches || !busy && rests != 0 {
			t.Errorf("busy %v: %d rests after %d batches", busy, rests, batches)
		}
	}
	if rest(time.Millisecond) != 9*time.Millisecond || rest(time.Hour) != maxPause {
		t.Errorf("the rests are %s and %s, want 9 ms and the longest rest", rest(time.Millisecond), rest(time.Hour))
	}
}
