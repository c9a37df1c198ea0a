package routing

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models"
	"switchyard/models/botlist"
)

type botEntry struct{ saved store.RoutingBotEntry }

func (e *botEntry) row() store.RoutingRow { return &e.saved }

func (b *Builder) botEntry(row *store.RoutingBotEntry, _ *botEntry) *botEntry { return &botEntry{*row} }

// botLists are the bot lists of an account. They are compiled after all changes of their entries are applied.
type botLists struct {
	entries  []*botEntry
	compiled *botlist.Lists // nil while a Builder changes the entries
}

func (e *botEntry) link(s *Snapshot) {
	l := s.ownBotLists(e.saved.AccountID)
	l.entries = append(l.entries, e)
}

func (e *botEntry) unlink(s *Snapshot) {
	l := s.ownBotLists(e.saved.AccountID)
	l.entries = slices.DeleteFunc(l.entries, func(o *botEntry) bool { return o == e })
}

// ownBotLists returns the account's lists for changing. It copies lists that another snapshot uses.
func (s *Snapshot) ownBotLists(account uuid.UUID) *botLists {
	l, ok := s.botLists.get(account)
	switch {
	case !ok:
		l = &botLists{}
	case l.compiled == nil:
		return l
	default:
		l = &botLists{entries: slices.Clone(l.entries)}
	}
	s.botLists.put(account, l)
	return l
}

// compileBotLists compiles the lists that have changed, and removes empty lists.
func (b *Builder) compileBotLists() {
	for account, l := range b.botLists.all {
		if l.compiled != nil {
			continue
		}
		if len(l.entries) == 0 {
			b.botLists.remove(account)
			continue
		}
		list := make([]*models.BotEntry, len(l.entries))
		for i, e := range l.entries {
			list[i] = e.parse()
		}
		l.compiled = botlist.Compile(list)
	}
}

// parse returns the entry. If its values cannot be read, it has no values and matches no visitor.
func (e *botEntry) parse() *models.BotEntry {
	out := &models.BotEntry{
		Owned:      models.Owned{ID: e.saved.ID, AccountID: e.saved.AccountID},
		CampaignID: e.saved.CampaignID, ListType: e.saved.ListType, Attribute: e.saved.Attribute, Operator: e.saved.Operator,
	}
	if err := json.Unmarshal(e.saved.Value, &out.Value); err != nil {
		slog.ErrorContext(context.Background(), "entry of a bot list cannot be read", "entry_id", e.saved.ID, "error", err)
	}
	return out
}

// BotLists returns the bot lists of an account, or nil if the account has no entries.
func (s *Snapshot) BotLists(account uuid.UUID) *botlist.Lists {
	if l, ok := s.botLists.get(account); ok {
		return l.compiled
	}
	return nil
}
