package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/models/botdata"
)

// BotData accesses the lists that the operator has loaded for all accounts: see package botdata.
type BotData struct{ s *Store }

// BotData returns access to the operator's lists.
func (s *Store) BotData() BotData { return BotData{s} }

// BotDataList describes a list without its entries.
type BotDataList struct {
	Kind     string    `db:"kind" json:"kind"`
	Entries  int       `db:"entries" json:"entries"`
	Dated    time.Time `db:"dated" json:"dated"`
	LoadedAt time.Time `db:"loaded_at" json:"loaded_at"`
}

// List returns the loaded lists.
func (b BotData) List(ctx context.Context) ([]BotDataList, error) {
	return db.Select[BotDataList](ctx, b.s.c, "bot data", `SELECT kind, entries, dated, loaded_at FROM bot_data ORDER BY kind`)
}

const saveBotData = `
INSERT INTO bot_data (id, kind, packed, entries, dated) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (kind) DO UPDATE SET packed = $3, entries = $4, dated = $5, loaded_at = clock_timestamp()`

// Save stores the given lists in place of the former lists of their kinds, either all of them or none.
func (b BotData) Save(ctx context.Context, lists []*botdata.List) error {
	return b.s.Tx(ctx, func(s *Store) error {
		for _, l := range lists {
			packed, err := botdata.Pack(l.Entries)
			if err != nil {
				return err
			}
			err = s.run(ctx, "save bot data", saveBotData, uuid.New(), l.Kind.String(), packed, len(l.Entries), l.Dated)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Delete deletes the list of a kind.
func (b BotData) Delete(ctx context.Context, kind string) error {
	return b.s.execOne(ctx, "list", `DELETE FROM bot_data WHERE kind = $1`, kind)
}
