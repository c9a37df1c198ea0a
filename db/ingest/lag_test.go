package ingest_test

import (
	"testing"
	"time"

	"switchyard/db/click"
	"switchyard/db/dbtest"
	"switchyard/db/ingest"
)

// TestLag checks what is reported about processes that are behind, have caught up or no longer report.
func TestLag(t *testing.T) {
	t.Parallel()
	d, now := dbtest.New(t), time.Now().UTC().Truncate(time.Second)
	var lags [2]time.Duration
	var reporters []*ingest.Lag
	for i := range lags {
		reporters = append(reporters, &ingest.Lag{
			Conn: d, Lag: func() time.Duration { return lags[i] }, Now: func() time.Time { return now },
		})
	}
	check := func(what string, processes, behind int, since, until time.Duration) {
		t.Helper()
		got, err := ingest.ReadStored(t.Context(), d, now)
		if err != nil || got.Processes != processes || got.Behind != behind || (got.Since == nil) != (behind == 0) {
			t.Fatalf("%s: %+v, %v, want %d processes, %d of them behind", what, got, err, processes, behind)
		}
		if behind > 0 && (!got.Since.Equal(now.Add(-since)) || !got.Until.Equal(now.Add(-until))) {
			t.Errorf("%s: behind since %v and stored until %v, want %v and %v", what, got.Since, got.Until, now.Add(-since), now.Add(-until))
		}
	}
	report := func() {
		t.Helper()
		for _, l := range reporters {
			if err := l.Report(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	check("no process reports", 0, 0, 0, 0)
	lags[0] = ingest.Behind
	report()
	check("a lag that is not above Behind", 2, 0, 0, 0)
	lags[0] = 2 * time.Minute
	report()
	check("one process is behind", 2, 1, 0, 2*time.Minute)
	now, lags[0], lags[1] = now.Add(time.Minute), 3*time.Minute, 9*time.Minute
	report()
	check("both processes are behind", 2, 2, time.Minute, 9*time.Minute)
	lags[1] = 0
	report()
	check("one process has caught up", 2, 1, time.Minute, 3*time.Minute)
	reporters, now = reporters[1:], now.Add(6*time.Minute)
	check("both reports have expired", 0, 0, 0, 0)
	report()
	check("one process reports again", 1, 0, 0, 0)
}

// TestBusy checks that deferrable work pauses while a process has clicks to store or its redirects wait, and for a short time
// afterwards.
func TestBusy(t *testing.T) {
	t.Parallel()
	d, now := dbtest.New(t), time.Now()
	lag, strained := time.Duration(0), false
	l := &ingest.Lag{
		Conn: d, Lag: func() time.Duration { return lag }, Strained: func() bool { return strained }, Now: func() time.Time { return now },
	}
	idle := &ingest.Lag{Conn: d, Lag: func() time.Duration { return 0 }}
	check := func(what string, want bool) {
		t.Helper()
		for _, each := range []*ingest.Lag{l, idle} {
			if err := each.Report(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := ingest.Busy(t.Context(), click.Log{Conn: d, Now: func() time.Time { return now }})
		if err != nil || got != want {
			t.Errorf("%s: busy is %v, want %v, %v", what, got, want, err)
		}
	}
	check("nothing waits", false)
	lag = time.Minute
	check("clicks wait", true)
	lag, now = 0, now.Add(time.Second)
	check("clicks waited a second ago", true)
	now = now.Add(time.Minute)
	check("clicks waited a minute ago", false)
	strained = true
	check("redirects wait", true)
}
