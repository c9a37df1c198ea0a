package bucket_test

import (
	"testing"
	"time"

	"switchyard/models/bucket"
)

func TestAllowAndWait(t *testing.T) {
	t.Parallel()
	const perSecond, burst, keys = 2, 3, 10
	s, now := bucket.New[string](perSecond, burst, keys), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	allowed := func(key string, at time.Time) (n int) {
		for s.Allow(key, at) {
			n++
		}
		return n
	}
	for _, c := range []struct {
		key   string
		after time.Duration
		want  int
	}{{"a", 0, 3}, {"b", 0, 3}, {"a", 0, 0}, {"a", time.Second, 2}, {"a", time.Hour, 3}} {
		if got := allowed(c.key, now.Add(c.after)); got != c.want {
			t.Errorf("%s after %s: %d tokens, want %d", c.key, c.after, got, c.want)
		}
	}
	for _, c := range []struct {
		key   string
		after time.Duration
		want  time.Duration
	}{{"new", 0, 0}, {"a", time.Hour, 500 * time.Millisecond}, {"a", time.Hour + 400*time.Millisecond, 100 * time.Millisecond}} {
		if got := s.Wait(c.key, now.Add(c.after)); (got - c.want).Abs() > time.Microsecond {
			t.Errorf("%s after %s: a token in %s, want %s", c.key, c.after, got, c.want)
		}
	}
}
