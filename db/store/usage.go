package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

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
SELECT stream_id, campaign_id, sum(clicks) FROM ledger
WHERE account_id = $1 AND hour >= $2
GROUP BY stream_id, campaign_id`

const usageConversions = `
SELECT offer_id, count(*) FROM conversions
WHERE account_id = $1 AND recorded_at >= $2 AND status IN ('approved', 'pending') AND offer_id <> $3
GROUP BY offer_id`

// RoutingUsage counts an account's clicks and conversions since a moment.
func RoutingUsage(ctx context.Context, c db.Conn, accountID uuid.UUID, since time.Time) (Usage, error) {
	u := Usage{Clicks: map[uuid.UUID]int{}, Conversions: map[uuid.UUID]int{}}
	rows, err := c.QueryxContext(ctx, usageClicks, accountID, since)
	if err != nil {
		return u, fmt.Errorf("store: count clicks: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var stream, campaign uuid.UUID
		var n int
		if err := rows.Scan(&stream, &campaign, &n); err != nil {
			return u, fmt.Errorf("store: count clicks: %w", err)
		}
		u.Clicks[stream] += n
		u.Clicks[campaign] += n
	}
	if err := rows.Err(); err != nil {
		return u, fmt.Errorf("store: count clicks: %w", err)
	}
	converted, err := c.QueryxContext(ctx, usageConversions, accountID, since, uuid.Nil)
	if err != nil {
		return u, fmt.Errorf("store: count conversions: %w", err)
	}
	defer converted.Close()
	for converted.Next() {
		var offer uuid.UUID
		var n int
		if err := converted.Scan(&offer, &n); err != nil {
			return u, fmt.Errorf("store: count conversions: %w", err)
		}
		u.Conversions[offer] += n
	}
	if err := converted.Err(); err != nil {
		return u, fmt.Errorf("store: count conversions: %w", err)
	}
	return u, nil
}
