package botscan

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbbotscan "switchyard/db/botscan"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/bot"
)

// endless is a click log in which a scan never reaches the last click.
type endless struct {
	Clicks
	busy     bool
	batches  int
	released []bool // for each release: whether all clicks were scanned
}

func (e *endless) Claim(_ context.Context, account uuid.UUID, _ time.Duration) (dbbotscan.Progress, bool, error) {
	return dbbotscan.Progress{AccountID: account}, true, nil
}

func (e *endless) Release(_ context.Context, _ uuid.UUID, done bool) error {
	e.released = append(e.released, done)
	return nil
}

func (e *endless) Recheck(context.Context, db.Conn, uuid.UUID, bot.Settings, int) ([]time.Time, bool, error) {
	return nil, true, nil
}

func (e *endless) Scan(context.Context, db.Conn, *dbbotscan.Crowd, dbbotscan.Progress, bot.Settings, int) (dbbotscan.Scanned, error) {
	e.batches++
	return dbbotscan.Scanned{After: models.NewClickID()}, nil
}

func (e *endless) Advance(_ context.Context, _ db.Conn, s dbbotscan.Progress, after uuid.UUID) (dbbotscan.Progress, bool, error) {
	s.After = after
	return s, true, nil
}

func (e *endless) Busy(context.Context) (bool, error) { return e.busy, nil }

// TestScanIsBounded checks that a scan ends although clicks are left, so that the next scan continues. While the service is busy,
// the scan rests after each batch.
func TestScanIsBounded(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	account := uuid.New()
	const owner = `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'A', 'pro', $2)`
	dbtest.Exec(t, d, owner, account, account.String())
	for _, busy := range []bool{false, true} {
		clicks, rests := &endless{busy: busy}, 0
		w := &worker{store: store.New(d, nil), clicks: clicks, pause: func(context.Context, time.Duration) error {
			rests++
			return nil
		}}
		if err := w.scan(t.Context(), account); err != nil {
			t.Fatal(err)
		}
		if clicks.batches == 0 || clicks.batches > batchesAtOnce || len(clicks.released) != 1 || clicks.released[0] {
			t.Errorf("%d batches, released %v", clicks.batches, clicks.released)
		}
		if want := map[bool]int{true: clicks.batches}[busy]; rests != want {
			t.Errorf("busy %v: %d rests after %d batches", busy, rests, clicks.batches)
		}
	}
	if rest(time.Millisecond) != 9*time.Millisecond || rest(time.Hour) != maxPause {
		t.Errorf("the rests are %s and %s", rest(time.Millisecond), rest(time.Hour))
	}
}
