package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
)

// Usage is what an account's caps are counted by.
type Usage struct {
	Clicks      map[uuid.UUID]int // of paths and of campaigns, without bots
	Conversions map[uuid.UUID]int // of offers: approved and pending
}

// Clicks are counted by the hours of the ledger, so where a zone is not whole hours away from UTC the part of the
// hour in which its day begins is left out.
const usageClicks = `
SELECT stream_id, campaign_id, sum(clicks) AS clicks FROM ledger
WHERE account_id = $1 AND hour >= $2
GROUP BY stream_id, campaign_id`

const usageConversions = `
SELECT offer_id, count(*) AS conversions FROM conversions
WHERE account_id = $1 AND recorded_at >= $2 AND status IN ('approved', 'pending') AND offer_id <> $3
GROUP BY offer_id`

// RoutingUsage counts an account's clicks and conversions since a moment.
func RoutingUsage(ctx context.Context, c db.Conn, accountID uuid.UUID, since time.Time) (Usage, error) {
	u := Usage{Clicks: map[uuid.UUID]int{}, Conversions: map[uuid.UUID]int{}}
	var clicked []struct {
		Stream   uuid.UUID `db:"stream_id"`
		Campaign uuid.UUID `db:"campaign_id"`
		Clicks   int       `db:"clicks"`
	}
	if err := sqlx.SelectContext(ctx, c, &clicked, usageClicks, accountID, since); err != nil {
		return u, fmt.Errorf("store: count clicks: %w", err)
	}
	for _, row := range clicked {
		u.Clicks[row.Stream] += row.Clicks
		u.Clicks[row.Campaign] += row.Clicks
	}
	var converted []struct {
		Offer       uuid.UUID `db:"offer_id"`
		Conversions int       `db:"conversions"`
	}
	if err := sqlx.SelectContext(ctx, c, &converted, usageConversions, accountID, since, uuid.Nil); err != nil {
		return u, fmt.Errorf("store: count conversions: %w", err)
	}
	for _, row := range converted {
		u.Conversions[row.Offer] = row.Conversions
	}
	return u, nil
}
