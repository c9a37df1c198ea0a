package report

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/db/clicklog"
	"switchyard/db/exchangerate"
	"switchyard/models"
)

// Limits of a question; more is the error invalid_dimension.
const (
	MaxDimensions = 5
	MaxFilters    = 12
	MaxValues     = 100 // of all filters
	MaxFilterLen  = 500 // characters
)

// MaxRows is how many rows an answer has at most unless the query says otherwise: those with the most clicks.
const MaxRows = 10_000

// Filter keeps what has one of the values in a dimension, or none of them.
type Filter = models.ReportFilter

// IDs keeps records, campaigns say, by the dimension of their ids.
func IDs(dimension string, ids ...uuid.UUID) Filter {
	return Filter{Dimension: dimension, Values: db.Map(ids, uuid.UUID.String)}
}

// Query asks for the figures of an account in [From, To), cut to milliseconds.
type Query struct {
	AccountID  uuid.UUID
	From, To   time.Time
	Dimensions []string
	Filters    []Filter
	Goals      []string       // conversions of these goals count alone, which only the rows can tell; none: all
	Zone       *time.Location // of the dimensions of time; nil is UTC
	// Compare adds the figures of another stretch of time. A group that exists only there has a row as well. By date, hour and month the
	// first bucket of one stretch is compared with the first of the other, the second with the second, and so on. Buckets without a
	// counterpart come together under an empty value. Filters by date, hour or month choose buckets of the window itself.
	Compare   *models.TimeRange
	Sort      string // of Sorts or a dimension of the query, after a minus descending; empty is -clicks
	MinClicks int    // of a group, in one of the two stretches
	Limit     int    // 0 is MaxRows
	Totals    bool   // adds a last row: the sums of all groups, even if MinClicks or Limit leaves them out

	FromRows bool // leaves the ledger alone: the answer is the same, only later

	spans []span // group by these, in the place of dimensions: the number of the span, from 1
	// kept is the first moment whose clicks are kept. Before it, an hour in which two spans meet cannot be split: it counts in
	// the first span.
	kept time.Time
	// change is the currency change of the account that is under way. It is nil if there is no such change.
	change *exchangerate.Change
}

// Row is one group of an answer.
type Row = models.ReportRow

// Reader answers from PostgreSQL, and from the copy of clicks in ClickHouse where it answers sooner or alone has them.
type Reader struct {
	Conn db.Conn // the pool
	Copy *clicklog.CopyReader
	// CopyOnly asks the copy all that it has, and never PostgreSQL in its place. The answers are the same: for tests and
	// measurements.
	CopyOnly bool
}

// Performance gives the figures grouped by the dimensions of the query, in the order of its Sort. Groups in which
// nothing happened are left out; without dimensions there is exactly one row.
func (r Reader) Performance(ctx context.Context, q Query) ([]Row, error) {
	var list []Row
	err := r.Each(ctx, q, func(row Row) error {
		list = append(list, row)
		return nil
	})
	return list, err
}

// Each is Performance row by row, for answers too long to hold. It ends with the first error of fn. While the account's currency
// is changed the answer is in the new one: see exchangerate.Change.
func (r Reader) Each(ctx context.Context, q Query, fn func(Row) error) error {
	var there *statement
	err := r.snapshot(ctx, func(r Reader) (err error) {
		q, err = r.prepare(ctx, q)
		if err != nil {
			return err
		}
		b, err := plan(q)
		if err != nil {
			return err
		}
		if there, err = r.elsewhere(ctx, q, b); err != nil || there != nil {
			return err
		}
		return r.each(ctx, q, b, fn)
	})
	if err != nil || there == nil {
		return err
	}
	given := false
	err = r.eachOfCopy(ctx, q, there, func(row Row) error {
		given = true
		return fn(row)
	})
	if _, away := errors.AsType[*clicklog.CopyAwayError](err); !away || given || there.must || r.CopyOnly {
		return err
	}
	r.Copy.Answered(clicklog.FromPostgres)
	r.Copy = nil
	return r.Each(ctx, q, fn)
}

// snapshot runs fn with a reader that sees what there was at its first statement.
func (r Reader) snapshot(ctx context.Context, fn func(Reader) error) error {
	return r.Copy.Snapshot(ctx, r.Conn, func(c db.Conn) error {
		in := r
		in.Conn = c
		return fn(in)
	})
}

// each answers from PostgreSQL.
func (r Reader) each(ctx context.Context, q Query, b *builder, fn func(Row) error) error {
	return db.EachRow(ctx, r.Conn, "performance", func(rows *sqlx.Rows) error {
		var place sql.NullInt64
		row, dst := b.row(q)
		if err := rows.Scan(append(dst, &place)...); err != nil {
			return err
		}
		row.Total = !place.Valid
		b.label(row)
		return fn(*row)
	}, b.sql(), b.args...)
}

// row is an empty row of the answer, and where its columns go but the last.
func (b *builder) row(q Query) (*Row, []any) {
	row := &Row{Dims: make([]string, len(b.dims))}
	dst := make([]any, 0, len(row.Dims)+2*len(measures)+1)
	for i := range row.Dims {
		dst = append(dst, &row.Dims[i])
	}
	dst = append(dst, figures(&row.Figures)...)
	if q.Compare != nil {
		row.Before = &models.Figures{}
		dst = append(dst, figures(row.Before)...)
	}
	return row, dst
}

// label gives the values that clocks have numbered their names. The totals have no values.
func (b *builder) label(row *Row) {
	for i, d := range b.dims {
		switch {
		case row.Total:
			row.Dims[i] = ""
		case d.clock != nil:
			row.Dims[i] = d.clock.label(row.Dims[i])
		}
	}
}

// figures are where the columns of the measures go.
func figures(f *models.Figures) []any {
	return []any{
		&f.Clicks, &f.UniqueClicks, &f.BotClicks, &f.LPViews, &f.LPClicks,
		&f.Approved, &f.Pending, &f.Rejected, &f.Chargebacks, &f.Cost, &f.Revenue, &f.PendingRevenue,
	}
}

// Totals gives the figures of a query without dimensions.
func (r Reader) Totals(ctx context.Context, q Query) (models.Figures, error) {
	q.Dimensions = nil
	rows, err := r.Performance(ctx, q)
	if err != nil {
		return models.Figures{}, err
	}
	return rows[0].Figures, nil
}
