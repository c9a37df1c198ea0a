package clicklog

import (
	"errors"
	"testing"
	"time"
)

// TestPause: small batches gather longer, a backlog is stored at once, and after a failure the ingester waits.
func TestPause(t *testing.T) {
	t.Parallel()
	g := &Ingester{o: IngestOptions{Interval: time.Minute}, throttle: newThrottle()}
	for name, tt := range map[string]struct {
		records int
		backlog bool
		err     error
		want    time.Duration
	}{
		"few records":  {records: fewRecords - 1, want: gather * time.Minute},
		"many records": {records: fewRecords, want: time.Minute},
		"a backlog":    {records: 1, backlog: true},
		"a failure":    {records: 1, backlog: true, err: errors.New("away"), want: time.Second},
	} {
		if g.backlog = tt.backlog; g.pause(tt.records, time.Millisecond, tt.err) != tt.want {
			t.Errorf("%s: %s, want %s", name, g.pause(tt.records, time.Millisecond, tt.err), tt.want)
		}
	}
}
