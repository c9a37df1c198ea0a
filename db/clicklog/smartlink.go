package clicklog

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

// storeSmartlinkClicks writes the clicks that are not stored yet, and their sums.
func storeSmartlinkClicks(ctx context.Context, c db.Conn, list []*StoredSmartlinkClick) error {
	list, err := unknown(ctx, c, "smartlink_clicks", list)
	if err != nil || len(list) == 0 {
		return err
	}
	sums := smartlinkSums{}
	for _, click := range list {
		sums.add(click)
	}
	if err := smartlinkColumns.insert(ctx, c, "smartlink_clicks", list); err != nil {
		return err
	}
	return sums.write(ctx, c)
}

// smartlinkHour is a row of smartlink_hours.
type smartlinkHour struct {
	smartlinkKey
	Clicks    int64 `json:"clicks"`
	BotClicks int64 `json:"bot_clicks"`
}

type smartlinkKey struct {
	SmartlinkID    uuid.UUID `json:"smartlink_id"`
	Hour           time.Time `json:"hour"`
	RuleID         uuid.UUID `json:"rule_id"`
	DestinationURL string    `json:"destination_url"`
	AccountID      uuid.UUID `json:"account_id"`
}

type smartlinkSums map[smartlinkKey]*smartlinkHour

func (s smartlinkSums) add(c *StoredSmartlinkClick) {
	key := smartlinkKey{c.SmartlinkID, c.At.Truncate(time.Hour), c.RuleID, c.DestinationURL, c.AccountID}
	sum := s[key]
	if sum == nil {
		sum = &smartlinkHour{smartlinkKey: key}
		s[key] = sum
	}
	if c.IsBot {
		sum.BotClicks++
	} else {
		sum.Clicks++
	}
}

// Rows are taken in the same order by everybody, so that two ingesters wait for each other and never in a circle.
const addSmartlinkHours = `
INSERT INTO smartlink_hours AS h (smartlink_id, hour, rule_id, destination_url, account_id, clicks, bot_clicks)
SELECT smartlink_id, hour, rule_id, destination_url, account_id, clicks, bot_clicks
FROM jsonb_to_recordset($1) AS r (smartlink_id uuid, hour timestamptz, rule_id uuid, destination_url text,
	account_id uuid, clicks bigint, bot_clicks bigint)
ORDER BY smartlink_id, hour, rule_id, destination_url
ON CONFLICT (smartlink_id, hour, rule_id, md5(destination_url)) DO UPDATE
SET clicks = h.clicks + EXCLUDED.clicks, bot_clicks = h.bot_clicks + EXCLUDED.bot_clicks`

func (s smartlinkSums) write(ctx context.Context, c db.Conn) error {
	rows := slices.Collect(maps.Values(s))
	_, err := db.Exec(ctx, c, "sums of smartlinks", addSmartlinkHours, db.Document(rows))
	return err
}
