package report

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
	"switchyard/db/clickhouse/schema"
	"switchyard/db/exchangerate"
	"switchyard/models"
)

// statement is a query for the copy in ClickHouse.
type statement struct {
	*builder

	must bool // PostgreSQL cannot answer it, because some of its clicks are only in the copy
}

// chooseEngine decides whether ClickHouse or PostgreSQL answers a query. It returns the statement for ClickHouse, or nil for
// PostgreSQL. The copies of the ledger are in PostgreSQL and answer at once. A query that reads single clicks, or the ledger
// itself, goes to ClickHouse if ClickHouse has the window. Reading only the hours at the ends of a window is not a reason to use
// ClickHouse, unless their clicks are only there.
func (r Reader) chooseEngine(ctx context.Context, q Query, b *builder) (*statement, error) {
	if r.Copy == nil || len(b.read) == 0 && !r.CopyOnly {
		return nil, nil
	}
	elsewhere, must, err := r.pick(ctx, q, b.read, b.scans)
	if err != nil || !elsewhere {
		return nil, err
	}
	if q.oldestDay.IsZero() {
		if q.oldestDay, err = click.OldestDay(ctx, r.Conn, q.AccountID); err != nil {
			return nil, err
		}
	}
	others, err := r.factsOutsideCopy(ctx, q)
	if err != nil {
		return nil, err
	}
	there, err := planIn(q, clickHouse{others}, clickFacts)
	return &statement{there, must}, err
}

// pick reports whether the copy answers for some stretches of clicks, and whether it must, because PostgreSQL does not have all
// these clicks. If both have them, the copy answers queries that read many clicks, unless it is behind.
func (r Reader) pick(ctx context.Context, q Query, list []stretch, scans bool) (elsewhere, must bool, err error) {
	may, must, err := r.copyHas(ctx, q, list)
	if err == nil && must && !may {
		err = errAway
	}
	if elsewhere = may && (must || r.CopyOnly); err == nil && may && !elsewhere && scans {
		elsewhere, err = r.Copy.Current(ctx, r.Conn)
	}
	if err == nil && !elsewhere {
		r.Copy.CountAnswer(click.FromPostgres)
	}
	return elsewhere, must, err
}

// copyHas reports whether the copy can answer for the clicks of some stretches, and whether some of these clicks are only there.
// While the account's currency is being changed, only PostgreSQL can calculate the amounts.
func (r Reader) copyHas(ctx context.Context, q Query, list []stretch) (may, must bool, err error) {
	s, err := r.Copy.State(ctx, r.Conn)
	if err != nil {
		return false, false, err
	}
	may = s.On && q.change == nil
	for _, one := range list {
		may = may && s.Has(one.from)
		must = must || !one.ledger && s.Cold(one.from)
	}
	return may, must, nil
}

var errAway = models.Errorf(models.KindUnavailable, "unavailable", "old clicks cannot be read at the moment, try again")

// window is a stretch of time whose clicks of an account are read one by one.
type window struct {
	account  uuid.UUID
	from, to time.Time
	money    bool // amounts of the clicks are read too
}

// clickHouse returns the ClickHouse condition for the facts of the window, whose time is in column at. $1 is the account.
func (w window) clickHouse(fact, at string) string {
	return fact + ".account_id = $1 AND " + schema.Window(fact+"."+at, w.from, w.to)
}

// onClicks reads data about the clicks of a window. It calls there, which reads the copy, if clicksInCopy chooses the copy.
// Otherwise it calls here, which reads PostgreSQL.
func onClicks[T any](ctx context.Context, r Reader, w window, here func(Reader) ([]T, error), there func() ([]T, error)) (list []T, err error) {
	if r.Copy == nil {
		return here(r)
	}
	var elsewhere, must bool
	err = r.snapshot(ctx, func(r Reader) error {
		if elsewhere, must, err = r.clicksInCopy(ctx, w); err == nil && !elsewhere {
			list, err = here(r)
		}
		return err
	})
	if err != nil || !elsewhere {
		return list, err
	}
	if list, err = there(); err == nil {
		r.Copy.CountAnswer(click.FromCopy)
	}
	if _, away := errors.AsType[*click.CopyAwayError](err); away && !must && !r.CopyOnly {
		r.Copy.CountAnswer(click.FromPostgres)
		return here(r)
	}
	return list, err
}

// clicksInCopy reports whether the copy answers for the clicks of a window, and whether it must because PostgreSQL cannot.
func (r Reader) clicksInCopy(ctx context.Context, w window) (elsewhere, must bool, err error) {
	q := Query{AccountID: w.account}
	if w.money {
		change, open, err := exchangerate.FindChange(ctx, r.Conn, w.account)
		if err != nil {
			return false, false, err
		}
		if open {
			q.change = &change
		}
	}
	return r.pick(ctx, q, []stretch{{from: w.from, to: w.to}}, true)
}

// clickHouseRows returns the rows of a query of the copy. places returns the scan destinations of a row.
func clickHouseRows[T any](ctx context.Context, r Reader, what string, places func(*T) []any, query string, args ...any) ([]T, error) {
	var list []T
	err := r.Copy.Each(ctx, what, func(scan func(...any) error) error {
		var row T
		err := scan(places(&row)...)
		list = append(list, row)
		return err
	}, query, args...)
	return list, err
}

// eachOfCopy answers a query from the copy.
func (r Reader) eachOfCopy(ctx context.Context, q Query, b *statement, fn func(Row) error) error {
	var last *Row // the totals, which come first
	err := r.Copy.Each(ctx, "performance", func(scan func(...any) error) error {
		var total uint8
		row, dst := b.row(q)
		if err := scan(append(dst, &total)...); err != nil {
			return err
		}
		row.Total = total == 1
		if b.label(row); row.Total {
			last = row
			return nil
		}
		return fn(*row)
	}, b.sql(), b.args...)
	if err == nil {
		r.Copy.CountAnswer(click.FromCopy)
	}
	if err != nil || !q.Totals || len(b.dims) == 0 {
		return err
	}
	if last == nil {
		last, _ = b.row(q)
		last.Total = true
	}
	return fn(*last)
}

// cheaper is the number of clicks that the copy reads in the time in which PostgreSQL reads one. It is measured in
// ops/lab/bench/README.md.
const cheaper = 5

// readCost returns the cost of reading this number of clicks: the number itself, or a fifth of it if the copy answers.
func (r Reader) readCost(ctx context.Context, q Query, b *builder, clicks int64) (int64, error) {
	if r.Copy == nil || !b.scans {
		return clicks, nil
	}
	may, _, err := r.copyHas(ctx, q, b.read)
	if err != nil || !may {
		return clicks, err
	}
	current, err := r.Copy.Current(ctx, r.Conn)
	if current {
		clicks /= cheaper
	}
	return clicks, err
}
