package report

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/exchangerate"
	"switchyard/db/ledger"
	"switchyard/models"
)

// reach says which of the clicks that a query reads are in the copy in ClickHouse.
type reach struct {
	canAnswer  bool // the copy has all of these clicks and can calculate their amounts
	mustAnswer bool // PostgreSQL does not have all of these clicks
	current    bool // the query reads many clicks, and the copy has their latest changes
}

// findReach finds out which clicks of stretches of time are in the copy. While the account's currency is changing, only
// PostgreSQL can calculate the amounts. scans says that many clicks are read.
func (r Reader) findReach(ctx context.Context, changing bool, list []stretch, scans bool) (k reach, err error) {
	s, err := click.ReadCopy(ctx, r.Conn)
	if err != nil {
		return k, err
	}
	k.canAnswer = s.On && !changing
	for _, stretch := range list {
		k.canAnswer = k.canAnswer && s.Has(stretch.from)
		k.mustAnswer = k.mustAnswer || stretch.source != fromLedger && s.Cold(stretch.from)
	}
	if k.canAnswer && scans {
		k.current, err = r.Copy.Current(ctx, r.Conn)
	}
	return k, err
}

// inCopy reports whether the copy answers a query. If PostgreSQL has the clicks too and CopyOnly is false, the copy answers only
// queries that read many clicks, and only while it is not behind.
func (r Reader) inCopy(k reach) (bool, error) {
	switch {
	case k.mustAnswer && !k.canAnswer:
		return false, errAway
	case k.canAnswer && (k.mustAnswer || r.CopyOnly || k.current):
		return true, nil
	}
	r.Copy.CountAnswer(click.FromPostgres)
	return false, nil
}

// chooseEngine decides whether ClickHouse or PostgreSQL answers a query. Unless CopyOnly is true, PostgreSQL answers queries of
// the rollups (ledger.Rollups). For queries that read single clicks, or ledger rows that are in no rollup, inCopy decides. If a
// query reads single clicks only for the incomplete hours at the ends of its window, inCopy chooses ClickHouse only if PostgreSQL
// does not have these clicks, or with CopyOnly.
func (r Reader) chooseEngine(ctx context.Context, q *query) (err error) {
	if r.Copy == nil || len(q.slowStretches()) == 0 && !r.CopyOnly {
		return nil
	}
	if q.inCopy, err = r.inCopy(q.copied); err != nil || !q.inCopy {
		return err
	}
	if q.oldestDay.IsZero() {
		if q.oldestDay, err = click.OldestDay(ctx, r.Conn, q.AccountID); err != nil {
			return err
		}
	}
	for _, p := range q.periods {
		q.chooseSources(p, fromCopy)
	}
	q.postgresFacts, err = r.factsOutsideCopy(ctx, q)
	return err
}

var errAway = models.Errorf(models.KindUnavailable, "unavailable", "old clicks cannot be read at the moment, try again")

// window is a range of time of an account whose clicks are read one by one.
type window struct {
	account  uuid.UUID
	from, to time.Time
	money    bool // the amounts of the clicks are read too
}

// clickHouse returns the ClickHouse condition for the facts of the window. fact is their alias, and the parameter at is the
// column with their time. $1 is the account.
func (w window) clickHouse(fact, at string) string {
	return fact + ".account_id = $1 AND " + schema.Window(fact+"."+at, w.from, w.to)
}

// onClicks reads data about the clicks of a window from the copy or from PostgreSQL, as clicksInCopy decides. If ClickHouse
// cannot be reached but PostgreSQL has the clicks, it reads PostgreSQL. With CopyOnly it returns the error instead.
func onClicks[T any](ctx context.Context, r Reader, w window, readPostgres func(Reader) ([]T, error), readCopy func() ([]T, error)) (
	list []T, err error,
) {
	if r.Copy == nil {
		return readPostgres(r)
	}
	var inCopy, must bool
	err = r.snapshot(ctx, func(r Reader) error {
		if inCopy, must, err = r.clicksInCopy(ctx, w); err == nil && !inCopy {
			list, err = readPostgres(r)
		}
		return err
	})
	if err != nil || !inCopy {
		return list, err
	}
	if list, err = readCopy(); err == nil {
		r.Copy.CountAnswer(click.FromCopy)
	}
	if _, away := errors.AsType[*click.CopyAwayError](err); away && !must && !r.CopyOnly {
		r.Copy.CountAnswer(click.FromPostgres)
		return readPostgres(r)
	}
	return list, err
}

// clicksInCopy reports whether the copy answers queries about the clicks of a window. must is true if PostgreSQL cannot answer
// them.
func (r Reader) clicksInCopy(ctx context.Context, w window) (inCopy, must bool, err error) {
	changing := false
	if w.money {
		if _, changing, err = exchangerate.FindChange(ctx, r.Conn, w.account); err != nil {
			return false, false, err
		}
	}
	const scans = true // the clicks are read one by one
	k, err := r.findReach(ctx, changing, []stretch{{from: w.from, to: w.to}}, scans)
	if err == nil {
		inCopy, err = r.inCopy(k)
	}
	return inCopy, k.mustAnswer, err
}

// Large is the maximum number of clicks that a request may read. A report that reads more runs as a job. A report of two million
// clicks takes 1.3 seconds on two processors, or 3 seconds with five dimensions. See ops/lab/bench/README.md.
const Large = 1_000_000

// ErrLarge means that a query would read more clicks than its MaxClicks.
var ErrLarge = errors.New("report: the query reads too many clicks")

// copySpeedup is the number of clicks that the copy reads while PostgreSQL reads one. See ops/lab/bench/README.md.
const copySpeedup = 5

// Clicks are counted in the hourly rollup of the ledger, which has few rows.
const countRead = `
SELECT coalesce(sum(clicks + bot_clicks), 0)::bigint FROM ` + ledger.Traffic + ` l
JOIN unnest($2::timestamptz[], $3::timestamptz[]) AS w (low, high) ON l.hour >= w.low AND l.hour < w.high
WHERE l.account_id = $1`

// Cost returns the number of clicks that a query reads, or a fifth of it if the faster copy in ClickHouse is to answer. Rollups
// of the ledger cost nothing. Hours that are read in part count in full.
func (r Reader) Cost(ctx context.Context, request Query) (int64, error) {
	q, err := r.newQuery(ctx, request)
	if err != nil {
		return 0, err
	}
	return r.cost(ctx, q)
}

func (r Reader) cost(ctx context.Context, q *query) (int64, error) {
	list := q.slowStretches()
	if len(list) == 0 {
		return 0, nil
	}
	low := db.Map(list, func(s stretch) time.Time { return s.from.Truncate(time.Hour) })
	high := db.Map(list, func(s stretch) time.Time { return s.to })
	clicks, err := db.Get[int64](ctx, r.Conn, "cost of report", countRead, q.AccountID, texts(low), texts(high))
	if q.copied.current {
		clicks /= copySpeedup
	}
	return clicks, err
}
