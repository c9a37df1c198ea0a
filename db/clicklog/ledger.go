package clicklog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/shopspring/decimal"

	"switchyard/db"
	"switchyard/models"
)

// Key is where figures count in the ledger: an hour and the dimensions of a click.
type Key struct {
	AccountID  uuid.UUID
	Hour       int64 // Unix seconds
	CampaignID uuid.UUID
	StreamID   uuid.UUID
	LanderID   uuid.UUID
	OfferID    uuid.UUID
	SourceID   uuid.UUID
	Country    string
	DeviceType string
	OS         string
	Browser    string
}

// key is where a click, its click-outs and its conversions count.
func (c *StoredClick) key() Key {
	return Key{
		AccountID: c.AccountID, Hour: c.At.Truncate(time.Hour).Unix(), CampaignID: c.CampaignID, StreamID: c.StreamID,
		LanderID: c.LanderID, OfferID: c.OfferID, SourceID: c.SourceID, Country: c.Country,
		DeviceType: c.DeviceType, OS: c.OS, Browser: c.Browser,
	}
}

// figures is what a click counts by itself.
func (c *StoredClick) figures() models.Figures {
	if c.IsBot {
		return models.Figures{BotClicks: 1}
	}
	f := models.Figures{Clicks: 1, LPViews: int64(c.LPViews), LPClicks: int64(c.LPClicks), Cost: c.Cost}
	if c.IsUnique {
		f.UniqueClicks = 1
	}
	return f
}

// conversionFigures is what a conversion counts, at its click's key. It counts for a bot's click too: money is
// never hidden.
func conversionFigures(status string, payout, cost decimal.Decimal) models.Figures {
	switch status {
	case models.StatusApproved:
		return models.Figures{Approved: 1, Revenue: payout, Cost: cost}
	case models.StatusPending:
		return models.Figures{Pending: 1, PendingRevenue: payout}
	case models.StatusRejected:
		return models.Figures{Rejected: 1}
	case models.StatusChargeback:
		return models.Figures{Chargebacks: 1}
	}
	return models.Figures{}
}

// sheet gathers the deltas of one transaction, so that each key is written once.
type sheet map[Key]models.Figures

func (s sheet) add(k Key, f models.Figures) { s[k] = s[k].Plus(f) }

const ledgerKeys = `account_id, hour, campaign_id, stream_id, lander_id, offer_id, source_id,
	country, device_type, os, browser`

const ledgerSums = `clicks, unique_clicks, bot_clicks, lp_views, lp_clicks, approved, pending, rejected, chargebacks,
	cost, revenue, pending_revenue`

// write adds the deltas to the ledger in the transaction of c.
func (s sheet) write(ctx context.Context, c db.Conn) error {
	rows := make([][]any, 0, len(s))
	for k, f := range s {
		if f.IsZero() {
			continue
		}
		rows = append(rows, []any{
			k.AccountID, time.Unix(k.Hour, 0).UTC(), k.CampaignID, k.StreamID, k.LanderID, k.OfferID, k.SourceID,
			k.Country, k.DeviceType, k.OS, k.Browser,
			f.Clicks, f.UniqueClicks, f.BotClicks, f.LPViews, f.LPClicks,
			f.Approved, f.Pending, f.Rejected, f.Chargebacks, f.Cost, f.Revenue, f.PendingRevenue,
		})
	}
	if len(rows) == 0 {
		return nil
	}
	if err := copyIn(ctx, c, "ledger", ledgerKeys+", "+ledgerSums, slices.Values(rows)); err != nil {
		return fmt.Errorf("clicklog: write ledger: %w", err)
	}
	return nil
}

// An hour that has rows which no compaction saw, oldest first.
const selectUnmerged = `
SELECT account_id, hour FROM ledger WHERE NOT merged AND hour < $1
GROUP BY account_id, hour ORDER BY hour, account_id LIMIT $2`

// What it deletes it adds up and writes back in one statement, and what is new among it goes to the copies. Writers only
// ever add rows, so none can be missed: one that commits meanwhile stays as it is for the next time.
var mergeHour = `
WITH gone AS (
	DELETE FROM ledger WHERE account_id = $1 AND hour = $2 RETURNING *
), merged AS (
	INSERT INTO ledger (` + ledgerKeys + `, ` + ledgerSums + `, merged)
	SELECT ` + ledgerKeys + `, ` + sums() + `, true FROM gone GROUP BY ` + ledgerKeys + `
	HAVING (` + sums() + `) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
)
` + addRollups()

func sums() string {
	names := strings.Split(ledgerSums, ",")
	for i, n := range names {
		names[i] = "sum(" + strings.TrimSpace(n) + ")"
	}
	return strings.Join(names, ", ")
}

// Compact replaces ledger rows of equal keys by their sum, in hours before the given time that have new rows, at
// most limit hours. It is exact and safe beside writers, readers and other compactions. It returns how many hours
// it went through: fewer than limit means that nothing is left.
func Compact(ctx context.Context, d db.Conn, before time.Time, limit int) (int, error) {
	var hours []struct {
		Account uuid.UUID `db:"account_id"`
		At      time.Time `db:"hour"`
	}
	if err := sqlx.SelectContext(ctx, d, &hours, selectUnmerged, before, limit); err != nil {
		return 0, fmt.Errorf("clicklog: compact: %w", err)
	}
	for i, h := range hours {
		if _, err := d.ExecContext(ctx, mergeHour, h.Account, h.At); err != nil {
			return i, fmt.Errorf("clicklog: compact: %w", err)
		}
	}
	return len(hours), nil
}
