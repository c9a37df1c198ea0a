package clicklog

import (
	"testing"
	"time"
)

func TestCourtesy(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := newCourtesy(0.6)
	c.rush = 1000
	for _, step := range []struct {
		after    time.Duration
		appended int64
		rushing  bool
	}{
		{0, 1_000_000, false}, // what was there before is no rush
		{time.Second, 1_000_900, false},
		{1100 * time.Millisecond, 1_009_000, false}, // too short to tell
		{2 * time.Second, 1_009_000, true},
		{3 * time.Second, 1_009_500, false},
	} {
		c.note(start.Add(step.after), step.appended)
		if c.rushing != step.rushing {
			t.Fatalf("after %s: rushing is %t", step.after, c.rushing)
		}
		usual := c.bite(2000) == 2000 && c.rest(6*time.Second) == 4*time.Second
		rush := c.bite(2000) == rushBatch && c.rest(2*time.Second).Round(time.Millisecond) == 8*time.Second
		if usual == rush || rush != step.rushing {
			t.Errorf("after %s: bite %d, rest %s", step.after, c.bite(2000), c.rest(2*time.Second))
		}
	}
	if c.rushing = true; c.bite(1) != 1 {
		t.Error("a smaller limit is not kept")
	}
}
