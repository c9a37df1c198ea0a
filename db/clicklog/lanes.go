package clicklog

import (
	"context"
	"sync"

	"switchyard/db/spool"
	"switchyard/models"
	"switchyard/models/bot"
)

// appender is a spool.
type appender interface {
	Append(ctx context.Context, r spool.Record) error
}

// Lanes writes the clicks of floods to one spool, and all other records to another. So a flood that arrives faster than
// PostgreSQL can store it does not delay other clicks. A click belongs to a flood if more than bot.FloodBound clicks of its
// account came from its source within bot.FloodWindow. Lanes counts in the memory of the process and never waits.
type Lanes struct {
	clicks, floods appender

	mu      sync.Mutex
	sources *frequency
}

// NewLanes returns Lanes that write to two spools.
func NewLanes(clicks, floods appender) *Lanes {
	return &Lanes{clicks: clicks, floods: floods, sources: newFrequency(bot.FloodBound, bot.FloodWindow, sourcesRemembered)}
}

// Append appends a record to its spool and returns the spool's result.
func (l *Lanes) Append(ctx context.Context, r spool.Record) error {
	if r.Click != nil && l.isFlood(r.Click) {
		return l.floods.Append(ctx, r)
	}
	return l.clicks.Append(ctx, r)
}

func (l *Lanes) isFlood(c *models.Click) bool {
	s, ok := senderOf(c)
	if !ok {
		return false
	}
	key := keyOfSource(c.AccountID, noCampaign, s.source())
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sources.count(key, models.ClickTime(c.ID))
}
