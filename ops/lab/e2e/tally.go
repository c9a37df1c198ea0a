package e2e

import (
	"context"
	"fmt"
	"sync"
	"time"

	"switchyard/models/await"
	"switchyard/ops/client"
)

// Span holds the time of a request and the time of its answer.
type Span struct{ Asked, Answered time.Time }

// Tally records the answered requests by the id in the answer, and the errors.
type Tally[K comparable] struct {
	mu   sync.Mutex
	At   map[K]Span
	Errs []error
}

// Add records an answer that came just now.
func (c *Tally[K]) Add(k K, asked time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.At == nil {
		c.At = map[K]Span{}
	}
	if _, twice := c.At[k]; twice {
		c.Errs = append(c.Errs, fmt.Errorf("%v was given out twice", k))
	}
	c.At[k] = Span{asked, time.Now()}
}

// Fail records an error.
func (c *Tally[K]) Fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Errs = append(c.Errs, err)
}

// Len returns the number of answers.
func (c *Tally[K]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.At)
}

// WaitFor waits until the tally has at least n answers.
func (c *Tally[K]) WaitFor(ctx context.Context, n int) error {
	ctx, cancel := context.WithTimeout(ctx, await.Timeout)
	defer cancel()
	err := client.Poll(ctx, 5*time.Millisecond, func() (bool, error) { return c.Len() >= n, nil })
	if err != nil {
		return fmt.Errorf("%d of %d: %w", c.Len(), n, err)
	}
	return nil
}
