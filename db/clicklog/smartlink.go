package clicklog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
	"switchyard/models/clickattr"
)

// StoredSmartlinkClick is a smartlink's click as PostgreSQL has it. Of the click inside, what belongs to campaigns is
// empty.
type StoredSmartlinkClick struct {
	StoredClick
	SmartlinkID    uuid.UUID
	RuleID         uuid.UUID // zero: no rule matched
	DestinationURL string    // as it stood in the smartlink
}

// shared tells whether smartlink_clicks has a column of clicks too.
func shared(name string) bool {
	a := clickattr.Find(name)
	return name == "at" || name == "subs" || a != nil && a.In&clickattr.Smartlinks != 0
}

// smartlinkColumns are the columns of smartlink_clicks: the pointer serves to write and to read one.
var smartlinkColumns = func() []smartlinkColumn {
	list := []smartlinkColumn{
		{"smartlink_id", func(c *StoredSmartlinkClick) any { return &c.SmartlinkID }},
		{"rule_id", func(c *StoredSmartlinkClick) any { return &c.RuleID }},
		{"destination_url", func(c *StoredSmartlinkClick) any { return &c.DestinationURL }},
	}
	for _, c := range clickColumns {
		if shared(c.name) {
			list = append(list, smartlinkColumn{c.name, func(s *StoredSmartlinkClick) any { return c.at(&s.StoredClick) }})
		}
	}
	return list
}()

type smartlinkColumn struct {
	name string
	at   func(*StoredSmartlinkClick) any
}

var smartlinkColumnList = func() string {
	names := make([]string, len(smartlinkColumns))
	for i, c := range smartlinkColumns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}()

func smartlinkPointers(dst []any, c *StoredSmartlinkClick) []any {
	for i := range smartlinkColumns {
		dst = append(dst, smartlinkColumns[i].at(c))
	}
	return dst
}

const knownSmartlinkClicks = `
SELECT id FROM smartlink_clicks WHERE id = ANY ($1::uuid[]) AND id BETWEEN $2 AND $3`

// storeSmartlinkClicks writes the clicks that are not stored yet, and their sums.
func storeSmartlinkClicks(ctx context.Context, c db.Conn, list []*models.SmartlinkClick) error {
	if len(list) == 0 {
		return nil
	}
	have := make(map[uuid.UUID]*models.SmartlinkClick, len(list))
	for _, click := range list {
		have[click.ID] = click
	}
	ids := sortedIDs(have)
	var known []uuid.UUID
	err := sqlx.SelectContext(ctx, c, &known, knownSmartlinkClicks, db.UUIDs(ids), ids[0], ids[len(ids)-1])
	if err != nil {
		return fmt.Errorf("clicklog: known smartlink clicks: %w", err)
	}
	for _, id := range known {
		delete(have, id)
	}
	if len(have) == 0 {
		return nil
	}
	sums := smartlinkSums{}
	err = db.CopyIn(ctx, c, "smartlink_clicks", smartlinkColumnList, func(yield func([]any) bool) {
		row := make([]any, 0, len(smartlinkColumns))
		for _, id := range ids {
			click, fresh := have[id]
			if !fresh {
				continue
			}
			sums.add(click)
			stored := StoredSmartlinkClick{
				StoredClick: StoredClick{Click: click.Click, At: models.ClickTime(id)}, SmartlinkID: click.SmartlinkID,
				RuleID: click.RuleID, DestinationURL: click.DestinationURL,
			}
			if !yield(smartlinkPointers(row[:0], &stored)) {
				return
			}
		}
	})
	if err != nil {
		return fmt.Errorf("clicklog: store smartlink clicks: %w", err)
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

func (s smartlinkSums) add(c *models.SmartlinkClick) {
	key := smartlinkKey{c.SmartlinkID, models.ClickTime(c.ID).UTC().Truncate(time.Hour), c.RuleID, c.DestinationURL, c.AccountID}
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
	rows := make([]*smartlinkHour, 0, len(s))
	for _, sum := range s {
		rows = append(rows, sum)
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("clicklog: sums of smartlinks: %w", err)
	}
	if _, err := c.ExecContext(ctx, addSmartlinkHours, text); err != nil {
		return fmt.Errorf("clicklog: sums of smartlinks: %w", err)
	}
	return nil
}
