package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
)

// Clicks are counted by the hours of the ledger, so where a zone is not whole hours away from UTC the part of the
// hour in which its day begins is left out.
const usageClicks = `
SELECT stream_id, campaign_id, sum(clicks) AS clicks FROM ledger
WHERE account_id = $1 AND hour >= $2
GROUP BY stream_id, campaign_id`

// ClicksSince counts an account's clicks since a moment, without bots, by path and by campaign.
func ClicksSince(ctx context.Context, c db.Conn, accountID uuid.UUID, since time.Time) (map[uuid.UUID]int, error) {
	var rows []struct {
		Stream   uuid.UUID `db:"stream_id"`
		Campaign uuid.UUID `db:"campaign_id"`
		Clicks   int       `db:"clicks"`
	}
	if err := sqlx.SelectContext(ctx, c, &rows, usageClicks, accountID, since); err != nil {
		return nil, fmt.Errorf("store: count clicks: %w", err)
	}
	counts := make(map[uuid.UUID]int, len(rows))
	for _, row := range rows {
		counts[row.Stream] += row.Clicks
		counts[row.Campaign] += row.Clicks
	}
	return counts, nil
}

const usageConversions = `
SELECT offer_id, count(*) AS conversions FROM conversions
WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $4 AND status IN ('approved', 'pending')
	AND offer_id <> $3
GROUP BY offer_id`

// ConversionsIn counts the approved and pending conversions of an account's offers in [from, to).
func ConversionsIn(ctx context.Context, c db.Conn, accountID uuid.UUID, from, to time.Time) (map[uuid.UUID]int, error) {
	var rows []struct {
		Offer       uuid.UUID `db:"offer_id"`
		Conversions int       `db:"conversions"`
	}
	if err := sqlx.SelectContext(ctx, c, &rows, usageConversions, accountID, from, uuid.Nil, to); err != nil {
		return nil, fmt.Errorf("store: count conversions: %w", err)
	}
	counts := make(map[uuid.UUID]int, len(rows))
	for _, row := range rows {
		counts[row.Offer] = row.Conversions
	}
	return counts, nil
}
