package clicklog

import (
	"context"

	"switchyard/db/spool"
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
	sources        *clickSources
}

// NewLanes returns Lanes that write to two spools.
func NewLanes(clicks, floods appender) *Lanes {
	return &Lanes{clicks: clicks, floods: floods, sources: newClickSources()}
}

// Append appends a record to its spool and returns the spool's result.
func (l *Lanes) Append(ctx context.Context, r spool.Record) error {
	if r.Click != nil && l.sources.isFlood(r.Click) {
		return l.floods.Append(ctx, r)
	}
	return l.clicks.Append(ctx, r)
}
