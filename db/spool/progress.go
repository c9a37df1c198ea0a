package spool

import (
	"context"
	"fmt"
	"sync"
)

// tail records the durable size of each segment of this process, so that a reader never sees an unfinished or failed batch.
type tail struct {
	mu     sync.Mutex
	active position
	sealed map[uint64]int64
}

func (t *tail) begin(p position) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sealed == nil {
		t.sealed = map[uint64]int64{}
	} else {
		t.sealed[t.active.seq] = t.active.off
	}
	t.active = p
}

func (t *tail) grow(p position) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = p
}

// size returns how many bytes of a segment may be read. `growing` is true if the segment can still grow. `known` is false if the
// segment was written by an earlier process or is evicted.
func (t *tail) size(seq uint64) (size int64, growing, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if seq >= t.active.seq {
		return t.active.off, true, true
	}
	size, known = t.sealed[seq]
	return size, false, known
}

func (t *tail) evict(before uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for seq := range t.sealed {
		if seq < before {
			delete(t.sealed, seq)
		}
	}
}

// progress is a position that only moves forward.
type progress struct {
	mu   sync.Mutex
	pos  position
	move chan struct{}
}

func (p *progress) advance(to position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pos.before(to) {
		p.pos = to
	}
	if p.move != nil {
		close(p.move)
		p.move = nil
	}
}

func (p *progress) at() position {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pos
}

// wait waits until the position is reached or the context ends.
func (p *progress) wait(ctx context.Context, until position) error {
	for {
		p.mu.Lock()
		reached := !p.pos.before(until)
		if p.move == nil {
			p.move = make(chan struct{})
		}
		move := p.move
		p.mu.Unlock()
		if reached {
			return nil
		}
		select {
		case <-move:
		case <-ctx.Done():
			return fmt.Errorf("%w, or for PostgreSQL: %w", ErrWaiting, ctx.Err())
		}
	}
}
