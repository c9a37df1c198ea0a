package ingest

import (
	"errors"
	"testing"
	"time"
)

// TestPause checks the pause after a batch.
func TestPause(t *testing.T) {
	t.Parallel()
	g := &Ingester{o: Options{Interval: time.Minute}, throttle: newThrottle()}
	g.throttle.share, g.throttle.maxPause = 0.5, time.Second/4
	for name, tt := range map[string]struct {
		records int
		backlog bool
		took    time.Duration
		err     error
		want    time.Duration
	}{
		"few records":                {records: fewRecords - 1, took: time.Hour, want: fewRecordsFactor * time.Minute},
		"many records":               {records: fewRecords, want: time.Minute},
		"a backlog":                  {records: 1, backlog: true},
		"a short batch of a backlog": {records: 1, backlog: true, took: time.Millisecond, want: time.Millisecond},
		"a long batch of a backlog":  {records: 1, backlog: true, took: time.Hour, want: time.Second / 4},
		"a failure":                  {records: 1, backlog: true, err: errors.New("away"), want: time.Second},
	} {
		g.backlog = tt.backlog
		if g.pauseAfter(tt.records, tt.took, tt.err) != tt.want {
			t.Errorf("%s: %s, want %s", name, g.pauseAfter(tt.records, tt.took, tt.err), tt.want)
		}
	}
}
