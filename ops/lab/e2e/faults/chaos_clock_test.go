package faults

import (
	"math/rand/v2"
	"testing"
	"time"

	"switchyard/db/dbtest"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/ops/lab/e2e/faultworker"
	"switchyard/ops/lab/fleet"
)

// faultClock starts a clock that fires one tick every second and another tick every minute.
func (y *env) faultClock(args ...string) *fleet.Process {
	y.t.Helper()
	p, err := y.Spawn("faultclock", args...)
	if err != nil {
		y.t.Fatal(err)
	}
	return p
}

func (y *env) fired(kind string) int {
	y.t.Helper()
	return dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM fault_fired WHERE kind = $1`, kind)
}

// leader returns the index of the clock that fired last, or else a random index.
func (y *env) leader(clocks []*fleet.Process) int {
	y.t.Helper()
	pid := dbtest.Get[int](y.t, y.db, `SELECT pid FROM fault_fired ORDER BY id DESC LIMIT 1`)
	for i, c := range clocks {
		if c.PID() == pid {
			return i
		}
	}
	return rand.IntN(len(clocks))
}

// twice counts the ticks that were carried out more than once.
func (y *env) twice() int {
	y.t.Helper()
	return dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM (SELECT FROM fault_ticks GROUP BY kind, at HAVING count(*) > 1) d`)
}

// TestClockFaults runs three clocks and repeatedly kills or freezes the leader. Every queued tick is carried out once, even if
// several clocks fired it.
func TestClockFaults(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	y := newEnv(t)
	y.worker()
	clocks := []*fleet.Process{y.faultClock(), y.faultClock(), y.faultClock()}
	ticks := func(n int) {
		t.Helper()
		want := y.fired(faultworker.Tick.Kind()) + n
		y.until("more ticks are fired", func() bool { return y.fired(faultworker.Tick.Kind()) >= want })
	}
	faults := longtest.Size(3, 12)
	for n := range faults {
		ticks(longtest.Size(2, 15))
		i := y.leader(clocks)
		if n%3 == 1 { // this leader is frozen before it is killed; its lock ends with its session
			y.check(clocks[i].Freeze())
			ticksNoMore(y, clocks[i])
		}
		clocks[i].Kill()
		clocks[i] = y.faultClock()
	}
	ticks(2)
	i := y.leader(clocks) // this leader goes on after its thaw
	y.check(clocks[i].Freeze())
	ticksNoMore(y, clocks[i])
	y.check(clocks[i].Thaw())
	ticks(2)
	for _, c := range clocks { // for a while no clock runs
		c.Kill()
	}
	before := y.fired(faultworker.Slow.Kind())
	last := y.faultClock()
	y.until("the missed tick of the minute is fired", func() bool { return y.fired(faultworker.Slow.Kind()) > before })
	ticks(2)
	last.Kill()
	// A clock that is killed while it fires has possibly not queued its tick.
	y.until("all ticks are carried out", func() bool {
		return dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM (SELECT kind, at FROM fault_fired WHERE queued
			EXCEPT SELECT kind, at FROM fault_ticks) m`) == 0
	})
	if n, all := y.twice(), dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM fault_ticks`); n > 0 || all == 0 {
		t.Errorf("%d of %d ticks were carried out twice", n, all)
	}
	again := dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM (SELECT FROM fault_fired GROUP BY kind, at HAVING count(*) > 1) d`)
	t.Logf("%d ticks, %d of them fired by more than one clock", y.fired(faultworker.Tick.Kind())+y.fired(faultworker.Slow.Kind()), again)
	if again == 0 {
		t.Error("no tick was fired by two clocks, so the test does not show that such a tick is carried out once")
	}
	y.clockWithoutIdentity()
}

// ticksNoMore waits 3 seconds, or 40 in the long form, and fails the test if the frozen clock fired in that time.
func ticksNoMore(y *env, frozen *fleet.Process) {
	y.t.Helper()
	const mine = `SELECT count(*) FROM fault_fired WHERE pid = $1`
	before, at := dbtest.Get[int](y.t, y.db, mine, frozen.PID()), dbtest.Get[int](y.t, y.db, `SELECT extract(epoch FROM clock_timestamp())::int`)
	y.until("some seconds have passed", func() bool {
		return dbtest.Get[int](y.t, y.db, `SELECT extract(epoch FROM clock_timestamp())::int`) >= at+longtest.Size(3, 40)
	})
	if after := dbtest.Get[int](y.t, y.db, mine, frozen.PID()); after > before {
		y.t.Errorf("a clock fired while it was frozen")
	}
}

// clockWithoutIdentity starts clocks whose ticks have no identity, until a tick was carried out twice.
func (y *env) clockWithoutIdentity() {
	begin := time.Now()
	y.until("the checker sees a tick that was carried out twice", func() bool {
		c := y.faultClock("--break", faultworker.BreakIDs)
		before := y.fired(faultworker.Slow.Kind())
		y.until("the tick of the minute fired", func() bool { return y.fired(faultworker.Slow.Kind()) > before })
		c.Kill()
		return y.twice() > 0
	})
	y.t.Logf("ticks without identity seen after %s", time.Since(begin).Round(time.Millisecond))
}
