package ledger

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
)

// Clicks are counted by the hours of the ledger. Where a zone is not whole hours away from UTC, the part of the hour in
// which its day begins is left out.
const clicksSince = `
SELECT stream_id, campaign_id, sum(clicks) AS clicks FROM ledger
WHERE account_id = $1 AND hour >= $2
GROUP BY stream_id, campaign_id`

// ClicksSince counts an account's clicks since a moment, without bots, by path and by campaign.
func ClicksSince(ctx context.Context, c db.Conn, account uuid.UUID, since time.Time) (map[uuid.UUID]int, error) {
	rows, err := db.Select[struct {
		Stream   uuid.UUID `db:"stream_id"`
		Campaign uuid.UUID `db:"campaign_id"`
		Clicks   int       `db:"clicks"`
	}](ctx, c, "count clicks", clicksSince, account, since)
	counts := make(map[uuid.UUID]int, len(rows))
	for _, row := range rows {
		counts[row.Stream] += row.Clicks
		counts[row.Campaign] += row.Clicks
	}
	return counts, err
}

// DayClicks are the clicks of a day.
type DayClicks struct {
	Day    time.Time `db:"day"`
	Clicks int64     `db:"clicks"`
}

const dailyClicks = `
SELECT d.day, coalesce(sum(l.clicks), 0)::bigint AS clicks
FROM generate_series($2::timestamptz, $3::timestamptz, interval '1 day') AS d (day)
LEFT JOIN ` + Traffic + ` l ON l.account_id = $1 AND l.hour >= d.day AND l.hour < d.day + interval '1 day'
GROUP BY d.day ORDER BY d.day`

// Daily gives an account's clicks of each day (UTC) from midnight of the first to the day of the last moment, bots not
// counted.
func Daily(ctx context.Context, c db.Conn, account uuid.UUID, first, last time.Time) ([]DayClicks, error) {
	return db.Select[DayClicks](ctx, c, "daily clicks", dailyClicks, account, first, last)
}

const accountClicks = `
SELECT a.id, l.clicks FROM unnest($1::uuid[]) AS a (id)
CROSS JOIN LATERAL (
	SELECT sum(clicks)::bigint AS clicks FROM ` + Traffic + ` t WHERE account_id = a.id AND hour >= $2 AND hour < $3
) l WHERE l.clicks > 0`

// ClicksOf counts the clicks of some accounts in the hours of [from, to), bots not counted. Accounts without any are not
// in the answer.
func ClicksOf(ctx context.Context, c db.Conn, accounts []uuid.UUID, from, to time.Time) (map[uuid.UUID]int64, error) {
	rows, err := db.Select[struct {
		ID     uuid.UUID `db:"id"`
		Clicks int64     `db:"clicks"`
	}](ctx, c, "clicks of accounts", accountClicks, db.UUIDs(accounts), from, to)
	counts := make(map[uuid.UUID]int64, len(rows))
	for _, row := range rows {
		counts[row.ID] = row.Clicks
	}
	return counts, err
}
