package ingest

import (
	"context"

	"switchyard/db/botscan"
	"switchyard/db/spool"
)

// FloodMessages returns the messages that these ingesters send to other ingesters for the detection of floods, at most one from each.
func FloodMessages(ingesters ...*Ingester) (messages [][]byte) {
	for _, g := range ingesters {
		if message := g.floods.NextMessage(); message != nil {
			messages = append(messages, message)
		}
	}
	return messages
}

// CountFloods passes a message to ingesters. FloodMessages of this or of another process has returned the message. An ingester ignores
// its own message.
func CountFloods(message []byte, ingesters ...*Ingester) {
	for _, g := range ingesters {
		g.floods.CountMessage(message)
	}
}

type appender interface {
	Append(ctx context.Context, r spool.Record) error
}

// Lanes writes the clicks of floods to one spool, and all other records to another spool. So a flood that arrives faster than
// PostgreSQL can store it does not delay other clicks. A click belongs to a flood if its address or /64 network has
// sent more than bot.FloodBound clicks of the account within bot.FloodWindow: see botscan.ClickSources.
type Lanes struct {
	clicks, floods appender
	sources        *botscan.ClickSources
}

// NewLanes returns Lanes that write to two spools.
func NewLanes(clicks, floods appender) *Lanes {
	return &Lanes{clicks: clicks, floods: floods, sources: botscan.NewClickSources()}
}

// Append appends a record to the spool that it belongs to.
func (l *Lanes) Append(ctx context.Context, r spool.Record) error {
	if r.Click != nil && l.sources.IsFlood(r.Click) {
		return l.floods.Append(ctx, r)
	}
	return l.clicks.Append(ctx, r)
}
