package routing

import (
	"context"
	"log/slog"

	"switchyard/db/store"
	"switchyard/models/botdata"
)

// botData is a list of bot data that the operator has loaded.
type botData struct {
	saved    store.RoutingBotData
	kind     botdata.Kind
	compiled *botdata.Compiled // nil: this version does not know the kind of list, or the list cannot be read
}

func (d *botData) row() store.RoutingRow { return &d.saved }

func (b *Builder) botData(row *store.RoutingBotData, _ *botData) *botData {
	d := &botData{saved: *row}
	kind, known := botdata.Named(row.Kind)
	if !known {
		return d
	}
	entries, err := botdata.Unpack(row.Packed)
	if err != nil {
		slog.ErrorContext(context.Background(), "list of bot data cannot be read", "kind", row.Kind, "error", err)
		return d
	}
	d.kind, d.compiled = kind, botdata.Compile(kind, entries)
	return d
}

func (d *botData) link(s *Snapshot) {
	if d.compiled != nil {
		s.botData.Put(d.kind, d.compiled)
	}
}

func (d *botData) unlink(s *Snapshot) {
	if d.compiled != nil {
		s.botData.Remove(d.kind, d.compiled)
	}
}

// BotData returns the operator's lists.
func (s *Snapshot) BotData() *botdata.Set { return &s.botData }
