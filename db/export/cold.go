package export

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"switchyard/db"
	"switchyard/db/clickhouse/schema"
)

// divide splits a window into two parts. The earlier part is cold: its rows are read from ClickHouse. The later part is warm: its
// rows are in PostgreSQL. Either part may be empty.
func (r Reader) divide(ctx context.Context, t Table, q Query) (warm, cold Query, err error) {
	cold = Query{AccountID: q.AccountID, From: q.From, To: q.From}
	if r.Copy == nil || !t.copied {
		return q, cold, nil
	}
	s, err := r.Copy.State(ctx, r.Conn)
	if err != nil || !s.Cold(q.From) {
		return q, cold, err
	}
	cold.To = s.ColdBefore
	if q.To.Before(cold.To) {
		cold.To = q.To
	}
	q.From = cold.To
	return q, cold, nil
}

const ofColdClicks = " FROM clicks AS f FINAL WHERE f.account_id = $1 AND "

func (r Reader) countCold(ctx context.Context, q Query) (int, error) {
	var n uint64
	err := r.Copy.Each(ctx, "count rows", func(scan func(...any) error) error { return scan(&n) },
		"SELECT count()"+ofColdClicks+schema.Window("f.at", q.From, q.To), q.AccountID)
	return int(n), err
}

// eachCold does for the rows of the copy what the method `each` does for rows in PostgreSQL. It reads one day at a time, because
// ClickHouse sorts all rows of a query before it returns the first one.
func (r Reader) eachCold(ctx context.Context, t Table, q Query, fn func([]sql.RawBytes) error) error {
	exprs := strings.Join(db.Map(t.columns, func(c column) string { return c.copyExpr }), ", ")
	texts, places := make([]string, len(t.columns)), make([]any, len(t.columns))
	for i := range texts {
		places[i] = &texts[i]
	}
	for to := q.To; q.From.Before(to); {
		from := to.Add(-time.Millisecond).UTC().Truncate(24 * time.Hour)
		if from.Before(q.From) {
			from = q.From
		}
		err := r.Copy.Each(ctx, "export", func(scan func(...any) error) error {
			if err := scan(places...); err != nil {
				return err
			}
			cells := db.Map(texts, func(s string) sql.RawBytes { return sql.RawBytes(s) })
			if err := t.formatIDs(cells); err != nil {
				return err
			}
			return fn(cells)
		}, "SELECT "+exprs+ofColdClicks+schema.Window("f.at", from, to)+" ORDER BY f.at DESC, toString(f.id) DESC", q.AccountID)
		if err != nil {
			return err
		}
		to = from
	}
	return nil
}
