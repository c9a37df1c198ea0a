// Package bucket limits how often something may happen in this process.
package bucket

import (
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"
)

// Set has a token bucket for each key. It is safe for concurrent use.
type Set[K comparable] struct {
	rate  rate.Limit
	burst int
	known *otter.Cache[K, *rate.Limiter]
}

// New returns a set of buckets. burst is the size of a bucket, perSecond is the number of tokens that it gains in a second, and
// keys is the maximum number of buckets that are kept, at about 200 bytes each. A key whose bucket was evicted gets a full one.
func New[K comparable](perSecond rate.Limit, burst, keys int) Set[K] {
	return Set[K]{perSecond, burst, otter.Must(&otter.Options[K, *rate.Limiter]{MaximumSize: keys})}
}

// Allow takes a token from the bucket of a key. It returns false if the bucket is empty.
func (s Set[K]) Allow(key K, now time.Time) bool { return s.AllowN(key, 1, now) }

// AllowN takes n tokens from the bucket of a key. If the bucket has fewer than n, it returns false and takes nothing.
func (s Set[K]) AllowN(key K, n int, now time.Time) bool {
	l, ok := s.known.GetIfPresent(key)
	if !ok {
		l, _ = s.known.SetIfAbsent(key, rate.NewLimiter(s.rate, s.burst))
	}
	return l.AllowN(now, n)
}

// Wait returns the time until the bucket of a key has a token.
func (s Set[K]) Wait(key K, now time.Time) time.Duration {
	l, ok := s.known.GetIfPresent(key)
	if !ok {
		return 0
	}
	missing := max(1-l.TokensAt(now), 0)
	return time.Duration(missing / float64(s.rate) * float64(time.Second))
}
