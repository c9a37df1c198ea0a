package routing

import (
	"context"
	"log/slog"
	"maps"
	"slices"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/clickattr"
	"switchyard/models/cond"
	"switchyard/models/flow"
)

// BlockList holds the blocked values of a dimension in an account, for a source or in a campaign.
type BlockList struct {
	Row      store.RoutingBlockList // without its values
	attr     cond.Attr
	isNumber bool
	values   map[string]struct{}
}

func (l *BlockList) row() store.RoutingRow { return &l.Row }
func (l *BlockList) key() uuid.UUID        { return l.Row.ID }

func (l *BlockList) fullRow() store.RoutingRow {
	row := l.Row
	row.Values = slices.Collect(maps.Keys(l.values))
	return &row
}

// link makes the list available for look-ups. A list without values is left out, so that it costs a visitor nothing.
func (l *BlockList) link(s *Snapshot) {
	if len(l.values) > 0 {
		insert(&s.blocks, l.Row.ScopeID, l)
	}
}

func (l *BlockList) unlink(s *Snapshot) { removeFromList(&s.blocks, l.Row.ScopeID, l) }

// blockList compiles a list. If values of the dimension cannot be blocked, the list blocks no visitor.
func (b *Builder) blockList(row *store.RoutingBlockList, _ *BlockList) *BlockList {
	l := &BlockList{Row: *row}
	l.Row.Values = nil
	a := clickattr.Find(row.Dimension)
	if a == nil || !a.IsBlockable() {
		slog.ErrorContext(context.Background(), "values of this dimension cannot be blocked", "list_id", row.ID, "dimension", row.Dimension)
		return l
	}
	l.attr, l.isNumber = cond.Named(a.Name), a.Text == nil
	l.values = make(map[string]struct{}, len(row.Values))
	for _, v := range row.Values {
		l.values[v] = struct{}{}
	}
	return l
}

// has reports whether the visitor has one of the values. Values are compared exactly, as reports group them. It allocates nothing.
func (l *BlockList) has(f *cond.Facts) (ok bool) {
	switch {
	case !f.Known(l.attr):
	case l.isNumber:
		_, ok = l.values[string(f.Folded(l.attr))]
	default:
		_, ok = l.values[f.Text(l.attr)]
	}
	return ok
}

// explain records in a trace that the list has blocked the visitor.
func (l *BlockList) explain(t *flow.Trace, via flow.Via, f *cond.Facts) {
	if t != nil {
		t.Via = via
		t.Blocked = &flow.Block{ListID: l.Row.ID, Scope: l.Row.Scope, Dimension: l.Row.Dimension, Value: f.Text(l.attr)}
	}
}

// findBlock returns a list that blocks a visitor of the source in a campaign, or nil if the campaign may route the visitor. The
// look-up takes the same time for any number of blocked values and of other campaigns.
func (s *Snapshot) findBlock(c *Campaign, source uuid.UUID, f *cond.Facts) *BlockList {
	for _, scope := range [...]uuid.UUID{c.Row.ID, source, c.Row.AccountID} {
		lists, _ := s.blocks.get(scope)
		for _, l := range lists {
			if l.Row.AccountID == c.Row.AccountID && l.has(f) {
				return l
			}
		}
	}
	return nil
}

// mayBlock reports whether the account has blocked values for visitors of the campaign. It looks at the lists of all sources, because
// a visitor who was handed over by another campaign may come from any source.
func (s *Snapshot) mayBlock(c *Campaign) bool {
	for l := range each[*BlockList](s, blockLists) {
		if len(l.values) > 0 && l.Row.AccountID == c.Row.AccountID && (l.Row.Scope != models.BlockCampaign || l.Row.ScopeID == c.Row.ID) {
			return true
		}
	}
	return false
}
