package spool

import (
	"testing"
	"time"
)

// TestPacer checks that there is a pause between writes while records arrive fast, and no pause when they arrive slowly.
func TestPacer(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	p := pacer{}
	// `during` makes a write every millisecond, each with the given number of records. It returns the pace at the end.
	during := func(writes int, records int64) (pace time.Duration) {
		for range writes {
			now = now.Add(time.Millisecond)
			pace = p.recordWrite(records, now)
		}
		return pace
	}
	for _, c := range []struct {
		records int64
		want    time.Duration
	}{{1, 0}, {5, busyPace}, {2, busyPace}, {1, 0}, {0, 0}} {
		if got := during(120, c.records); got != c.want {
			t.Errorf("at %d records per millisecond, the pause is %s, want %s", c.records, got, c.want)
		}
	}
	p = pacer{least: 10 * time.Millisecond}
	if got := during(120, 5); got != 10*time.Millisecond {
		t.Errorf("a spool with a minimum pause waits %s between two writes, want 10ms", got)
	}
}
