package report

import (
	"context"
	"time"

	"switchyard/db"
	"switchyard/db/ledger"
)

// Large is the number of clicks that a request may read. A report that reads more runs as a job. Two million clicks take 1.3
// seconds on two processors, or 3 seconds by five dimensions: see ops/lab/bench/README.md.
const Large = 1_000_000

// stretch is a part of the window that is read click by click, or from the ledger itself, which has about half as many rows as
// there are clicks.
type stretch struct {
	from, to time.Time
	ledger   bool
}

// Clicks are counted from the copy of the ledger with the fewest rows.
const countRead = `
SELECT coalesce(sum(clicks + bot_clicks), 0)::bigint FROM ` + ledger.Traffic + ` l
JOIN unnest($2::timestamptz[], $3::timestamptz[]) AS w (low, high) ON l.hour >= w.low AND l.hour < w.high
WHERE l.account_id = $1`

// Cost returns the number of clicks that a query reads. Reading the copies of the ledger costs nothing. If a part of an hour is
// read, all clicks of the hour count.
func (r Reader) Cost(ctx context.Context, q Query) (int64, error) {
	q, err := r.prepare(ctx, q)
	if err != nil {
		return 0, err
	}
	b, err := plan(q)
	if err != nil || len(b.read) == 0 {
		return 0, err
	}
	low := db.Map(b.read, func(s stretch) time.Time { return s.from.Truncate(time.Hour) })
	high := db.Map(b.read, func(s stretch) time.Time { return s.to })
	clicks, err := db.Get[int64](ctx, r.Conn, "cost of report", countRead, q.AccountID, texts(low), texts(high))
	if err != nil {
		return 0, err
	}
	return r.readCost(ctx, q, b, clicks)
}
