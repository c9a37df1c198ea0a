package certs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	missingEvery = time.Minute // the shortest time between two reports about the same host
	missingQueue = 64
	missingTime  = 5 * time.Second
)

// missing queues hosts that visitors ask for and this install serves, but that have no certificate.
type missing struct {
	queue chan string

	mu       sync.Mutex
	reported map[string]time.Time
}

func newMissing() missing {
	return missing{queue: make(chan string, missingQueue), reported: map[string]time.Time{}}
}

// add queues a host, unless the host was queued less than missingEvery ago or the queue is full.
func (m *missing) add(host string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if now.Sub(m.reported[host]) < missingEvery {
		return
	}
	select {
	case m.queue <- host:
		m.reported[host] = now
	default:
	}
}

// evict removes hosts that were queued at least missingEvery ago.
func (m *missing) evict() {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for host, at := range m.reported {
		if now.Sub(at) >= missingEvery {
			delete(m.reported, host)
		}
	}
}

// reportMissing reports the queued hosts to Options.Missing, one at a time, until the context ends.
func (c *Certificates) reportMissing(ctx context.Context) {
	tick := time.NewTicker(missingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.missing.evict()
		case host := <-c.missing.queue:
			if c.options.Missing == nil {
				continue
			}
			limited, cancel := context.WithTimeout(ctx, missingTime)
			if err := c.options.Missing(limited, host); err != nil && ctx.Err() == nil {
				slog.WarnContext(ctx, "missing certificate not reported", "host", host, "error", err)
			}
			cancel()
		}
	}
}
