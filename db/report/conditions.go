package report

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"switchyard/db/click"
)

// Conditions returns filters as SQL conditions on the clicks of an account in a window and on their conversions, for PostgreSQL
// and for the copy in ClickHouse.
func (r Reader) Conditions(ctx context.Context, account uuid.UUID, filters []Filter, zone *time.Location, from, to time.Time) (
	inPostgres, inCopy click.Condition, err error,
) {
	q := &query{Query: Query{AccountID: account, Filters: filters, Zone: zone}, known: map[string]dimension{}}
	if err := q.check(); err != nil {
		return inPostgres, inCopy, err
	}
	if err := q.loadLabels(ctx, r.Conn); err != nil {
		return inPostgres, inCopy, err
	}
	p, err := q.newPeriod(from, to, nil)
	if err != nil {
		return inPostgres, inCopy, err
	}
	return conditionsIn(postgres{}, p), conditionsIn(clickHouse{}, p), nil
}

func conditionsIn(dialect dialect, p *period) click.Condition {
	b := &builder{dialect: dialect, args: make([]any, click.LogArgs), spans: map[*clock]string{}}
	b.bind(p)
	out := click.Condition{Args: b.args[click.LogArgs:]}
	for _, f := range b.filters {
		into := &out.SQL
		if f.ofSale != "" {
			f.dimension, into = f.of(true), &out.OfSale
		}
		*into += " AND " + dialect.condition(f, "f.at")
	}
	return out
}

// uuids returns the values that are UUIDs other than the zero UUID. An empty value becomes the zero UUID.
func uuids(values []string) []string {
	ids := make([]string, 0, len(values))
	for _, v := range values {
		if v == "" {
			ids = append(ids, uuid.Nil.String())
		} else if u, err := uuid.Parse(v); err == nil && u != uuid.Nil {
			ids = append(ids, u.String())
		}
	}
	return ids
}

// numbers returns the values that are whole numbers other than 0 without a plus sign or leading zeros, as reports show them. An
// empty value becomes 0.
func numbers(values []string) []int64 {
	list := make([]int64, 0, len(values))
	for _, v := range values {
		n, err := strconv.ParseInt(v, 10, 64)
		if v == "" || err == nil && n != 0 && strconv.FormatInt(n, 10) == v {
			list = append(list, n)
		}
	}
	return list
}
