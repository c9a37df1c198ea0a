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

// Lanes puts the clicks of floods into a spool of their own, and all other records into another one. So a flood that comes
// faster than PostgreSQL stores it delays no other click. A click is in a flood if more
// than bot.FloodBound clicks of its account came from its source within bot.FloodWindow. It counts in the memory of the process
// and waits for nothing.
type Lanes struct {
	clicks, floods appender

	mu      sync.Mutex
	sources *frequency
}

// NewLanes makes lanes of two spools.
func NewLanes(clicks, floods appender) *Lanes {
	return &Lanes{clicks: clicks, floods: floods, sources: newFrequency(bot.FloodBound, bot.FloodWindow, sourcesRemembered)}
}

// Append puts a record into its spool. It returns what the spool answers.
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
