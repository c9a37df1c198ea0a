package report

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/ledger"
	"switchyard/db/oldtracker"
)

// Clicks are counted by the hours of the ledger. A day of a time zone may begin within an hour. The clicks of that hour are left
// out.
const clicksSince = `
SELECT unnest(ARRAY[stream_id, campaign_id]), sum(clicks)::bigint FROM (
	SELECT stream_id, campaign_id, sum(clicks) AS clicks FROM ledger
	WHERE account_id = $1 AND hour >= $2 GROUP BY stream_id, campaign_id
) l GROUP BY 1`

// ClicksSince counts an account's clicks since the given time, without bots, by path and by campaign.
func (r Reader) ClicksSince(ctx context.Context, account uuid.UUID, since time.Time) (map[uuid.UUID]int, error) {
	return db.Pairs[uuid.UUID, int](ctx, r.Conn, "count clicks", clicksSince, account, since)
}

const countConversions = `
SELECT offer_id, count(*) FROM conversions
WHERE account_id = $1 AND recorded_at >= $2 AND recorded_at < $4 AND status IN ('approved', 'pending')
	AND offer_id <> $3
GROUP BY offer_id`

// ConversionsIn counts the approved and pending conversions of an account's offers in [from, to).
func (r Reader) ConversionsIn(ctx context.Context, account uuid.UUID, from, to time.Time) (map[uuid.UUID]int, error) {
	return db.Pairs[uuid.UUID, int](ctx, r.Conn, "count conversions", countConversions, account, from, uuid.Nil, to)
}

// DayClicks is the number of clicks of a day.
type DayClicks struct {
	Day    time.Time `db:"day"`
	Clicks int64     `db:"clicks"`
}

const dailyClicks = `
SELECT d.day, coalesce(sum(l.clicks), 0)::bigint AS clicks
FROM generate_series($2::timestamptz, $3::timestamptz, interval '1 day') AS d (day)
LEFT JOIN ` + ledger.Traffic + ` l ON l.account_id = $1 AND l.hour >= d.day AND l.hour < d.day + interval '1 day'
GROUP BY d.day ORDER BY d.day`

// Daily returns the number of clicks that count towards an account's plan, for each day (UTC). The parameter first is the start
// of the first day, and last is a time in the last day. Clicks of bots and imported clicks do not count.
func (r Reader) Daily(ctx context.Context, account uuid.UUID, first, last time.Time) ([]DayClicks, error) {
	days, err := db.Select[DayClicks](ctx, r.Conn, "daily clicks", dailyClicks, account, first, last)
	if err != nil || len(days) == 0 {
		return days, err
	}
	starts := db.Map(days, func(d DayClicks) time.Time { return d.Day })
	starts = append(starts, starts[len(starts)-1].AddDate(0, 0, 1)) // the end of the last day
	old, err := oldtracker.CountDaily(ctx, r.Conn, account, starts)
	for i := range days {
		days[i].Clicks = max(days[i].Clicks-old[i+1], 0)
	}
	return days, err
}

const accountClicks = `
SELECT a.id, l.clicks FROM unnest($1::uuid[]) AS a (id)
CROSS JOIN LATERAL (
	SELECT sum(clicks)::bigint AS clicks FROM ` + ledger.Traffic + ` t WHERE account_id = a.id AND hour >= $2 AND hour < $3
) l WHERE l.clicks > 0`

// ClicksOf returns how many clicks of some accounts count towards their plans in the hours of [from, to): see Daily.
// Accounts without clicks are left out.
func (r Reader) ClicksOf(ctx context.Context, accounts []uuid.UUID, from, to time.Time) (map[uuid.UUID]int64, error) {
	clicks, err := db.Pairs[uuid.UUID, int64](ctx, r.Conn, "clicks of accounts", accountClicks, db.UUIDs(accounts), from, to)
	if err != nil {
		return nil, err
	}
	old, err := oldtracker.CountClicks(ctx, r.Conn, accounts, from, to)
	for account, n := range old {
		if clicks[account] -= n; clicks[account] <= 0 {
			delete(clicks, account)
		}
	}
	return clicks, err
}
