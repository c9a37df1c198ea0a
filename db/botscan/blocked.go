package botscan

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models/bot"
)

type blockedKey struct {
	account, entry uuid.UUID
	hour           time.Time
}

func (k blockedKey) compare(o blockedKey) int {
	return cmp.Or(bytes.Compare(k.account[:], o.account[:]), bytes.Compare(k.entry[:], o.entry[:]), k.hour.Compare(o.hour))
}

// Rows are locked in a fixed order, so that two ingesters never deadlock.
const addBlocked = `
INSERT INTO bot_entry_hours AS h (account_id, entry_id, hour, clicks)
SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bigint[])
ON CONFLICT (account_id, entry_id, hour) DO UPDATE SET clicks = h.clicks + EXCLUDED.clicks`

// CountBlocked counts, by deny entry and hour, the new clicks that count as a bot's because of a deny entry.
func CountBlocked(ctx context.Context, c db.Conn, clicks []*click.StoredClick) error {
	sums := map[blockedKey]int64{}
	for _, click := range clicks {
		if click.BotEntryID != uuid.Nil && bot.Signals(click.BotSignals)&bot.DenyList != 0 {
			sums[blockedKey{click.AccountID, click.BotEntryID, click.At.UTC().Truncate(time.Hour)}]++
		}
	}
	if len(sums) == 0 {
		return nil
	}
	keys := slices.SortedFunc(maps.Keys(sums), blockedKey.compare)
	return db.Run(ctx, c, "count blocked clicks", addBlocked,
		db.UUIDsOf(keys, func(k blockedKey) uuid.UUID { return k.account }),
		db.UUIDsOf(keys, func(k blockedKey) uuid.UUID { return k.entry }),
		db.Map(keys, func(k blockedKey) string { return k.hour.Format(time.RFC3339) }),
		db.Map(keys, func(k blockedKey) int64 { return sums[k] }))
}
