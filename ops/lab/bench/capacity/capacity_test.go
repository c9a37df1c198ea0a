package capacity_test

import (
	"math"
	"testing"
	"time"

	"switchyard/ops/lab/bench/capacity"
)

var units = capacity.Units{
	Click:      capacity.Cost{Web: 90 * time.Microsecond, Postgres: 50 * time.Microsecond, Redis: 10 * time.Microsecond},
	Conversion: capacity.Cost{Web: time.Millisecond, Postgres: time.Millisecond},
	Delivery:   capacity.Cost{Postgres: 2 * time.Millisecond, Redis: time.Millisecond},
	ClickBytes: 1000, WALBytes: 2000,
}

// TestRates: planned are 0.6 of the processors, and no more than one connection stores.
func TestRates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		got  float64
		want float64
	}{
		{"two cores", units.OneMachine(2), 6000},
		{"many cores", units.OneMachine(64), 12_000},
		{"web apart", units.Apart(2, 4), 24_000},
		{"more fronts than PostgreSQL takes", units.Apart(9, 2), 12_000},
		{"web of one machine", units.Apart(1, 1), 6000},
	} {
		if math.Abs(c.got-c.want) > 1e-6*c.want {
			t.Errorf("%s: %f, want %f", c.what, c.got, c.want)
		}
	}
}

// TestSimulate: all clicks come, a machine that is too small has a backlog, and what it stores is what comes.
func TestSimulate(t *testing.T) {
	t.Parallel()
	const clicks = 1e9
	flat := capacity.Curve{Day: 1, Week: 1, Burst: 1}
	enough := units.Simulate(clicks, flat, capacity.Machines{Fronts: 1, FrontCores: 4, DatabaseCores: 4})
	if math.Abs(enough.Clicks-clicks) > 1 || math.Abs(enough.Peak-clicks/30/86400) > 1e-3 || enough.Backlog != 0 || enough.Missed != 0 {
		t.Errorf("%+v", enough)
	}
	if share := enough.Peak * 100e-6 / 4; math.Abs(enough.BusiestDB-share) > 1e-9 {
		t.Errorf("the database is %f busy, want %f", enough.BusiestDB, share)
	}
	usual := units.Simulate(clicks, capacity.Usual, capacity.Machines{Fronts: 1, FrontCores: 4, DatabaseCores: 4})
	if usual.Peak < 5*enough.Peak || usual.Peak > 1.7*1.2*3.01*enough.Peak || math.Abs(usual.Clicks-clicks) > 1 {
		t.Errorf("%+v", usual)
	}
	slow := units
	slow.Click.Postgres = 10 * time.Millisecond
	small := slow.Simulate(clicks, flat, capacity.Machines{Fronts: 1, FrontCores: 4, DatabaseCores: 1})
	if left := clicks - 30*86400/0.01005; math.Abs(small.Backlog-left) > 1e-3*left || small.BusiestDB != 1 {
		t.Errorf("%+v, want a backlog of %f", small, left)
	}
}

// TestSmallest: one machine less is too few.
func TestSmallest(t *testing.T) {
	t.Parallel()
	slow := units
	slow.Click.Web = 2 * time.Millisecond
	m, month, ok := slow.Smallest(1e9, capacity.Usual, 4)
	if !ok || m.Fronts < 2 || month.Backlog > 0 {
		t.Fatalf("%+v, %+v, %t", m, month, ok)
	}
	m.Fronts--
	if less := slow.Simulate(1e9, capacity.Usual, m); less.BusiestFront <= 0.9 {
		t.Errorf("%+v is enough", m)
	}
	slow.Click.Postgres = 10 * time.Millisecond
	if m, _, ok := slow.Smallest(1e9, capacity.Usual, 4); ok {
		t.Errorf("%+v is enough for a slow PostgreSQL", m)
	}
}
