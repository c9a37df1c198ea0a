package db

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestReplicaBehind checks how far a replica counts as behind. This is the age of the latest known position of the primary that
// the replica has replayed.
func TestReplicaBehind(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	var written, replayed position
	var down error
	r := &Replica{
		limit: 5 * time.Second, now: func() time.Time { return now },
		primary: func(context.Context) (position, error) { return written, nil },
		replica: func(context.Context) (position, error) { return replayed, down },
	}
	for i, step := range []struct {
		after             time.Duration
		written, replayed position
		down              error
		fresh             bool
		behind            time.Duration
	}{
		{0, 100, 90, nil, false, 0},                                            // no known position is replayed
		{time.Second, 200, 100, nil, true, time.Second},                        // the position of the first step is replayed
		{time.Second, 300, 200, nil, true, time.Second},                        // the position of the second step is replayed
		{100 * time.Millisecond, 900, 900, nil, true, 1100 * time.Millisecond}, // too soon to read the positions again
		{4 * time.Second, 900, 299, nil, false, 5100 * time.Millisecond},       // the replica hangs
		{time.Second, 900, 900, nil, true, 0},                                  // the replica has caught up
		{time.Hour, 900, 900, nil, true, 0},                                    // an hour without reads and writes
		{4 * time.Second, 900, 900, errors.New("down"), true, 4 * time.Second},
		{2 * time.Second, 900, 900, errors.New("down"), false, 6 * time.Second},
		{time.Second, 950, 950, nil, true, 0},
	} {
		now = now.Add(step.after)
		written, replayed, down = step.written, step.replayed, step.down
		if got := r.Fresh(t.Context()); got != step.fresh {
			t.Errorf("step %d: fresh is %v, want %v", i, got, step.fresh)
		}
		if behind, known := r.Behind(); known != (i > 0) || behind != step.behind {
			t.Errorf("step %d: %v behind (known: %v), want %v", i, behind, known, step.behind)
		}
	}
	written, down = 2000, errors.New("down")
	for range 2 * maxMarks {
		now, written = now.Add(time.Second), written+1
		r.Fresh(t.Context())
	}
	if len(r.marks) > maxMarks {
		t.Errorf("%d marks are stored, want at most %d", len(r.marks), maxMarks)
	}
}
