package report

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/models"
)

// Limits of a question; more is the error invalid_dimension.
const (
	MaxDimensions = 5
	MaxFilters    = 12
	MaxFilterLen  = 500 // characters
)

// MaxRows is how many rows an answer has at most unless the query says otherwise: those with the most clicks.
const MaxRows = 10_000

// Filter keeps what has one of the values in a dimension. An empty value means none.
type Filter struct {
	Dimension string
	Values    []string
}

// IDs keeps records, campaigns say, by the dimension of their ids.
func IDs(dimension string, ids ...uuid.UUID) Filter {
	return Filter{dimension, db.Map(ids, uuid.UUID.String)}
}

// Query asks for the figures of an account in [From, To), cut to milliseconds.
type Query struct {
	AccountID  uuid.UUID
	From, To   time.Time
	Dimensions []string
	Filters    []Filter
	Limit      int // 0 is MaxRows

	FromRows bool // leaves the ledger alone: the answer is the same, only later

	spans []span // group by these, in the place of dimensions: the number of the span, from 1
	// kept is the first moment whose clicks are kept. Before it an hour in which two spans meet cannot be split: it counts
	// in the first.
	kept time.Time
}

// Row is one group: the values in the order of the query's dimensions, and its figures.
type Row struct {
	Dims []string
	models.Figures
}

// Reader answers from PostgreSQL. Conn is the pool.
type Reader struct{ Conn db.Conn }

// Performance gives the figures grouped by the dimensions of the query, most clicks first. Groups in which nothing
// happened are left out; without dimensions there is exactly one row.
func (r Reader) Performance(ctx context.Context, q Query) ([]Row, error) {
	var list []Row
	err := r.Each(ctx, q, func(row Row) error {
		list = append(list, row)
		return nil
	})
	return list, err
}

// Each is Performance row by row, for answers too long to hold. It ends with the first error of fn.
func (r Reader) Each(ctx context.Context, q Query, fn func(Row) error) error {
	b, err := plan(q)
	if err != nil {
		return err
	}
	return db.EachRow(ctx, r.Conn, "performance", func(rows *sqlx.Rows) error {
		row := Row{Dims: make([]string, len(b.dims))}
		dst := make([]any, 0, len(row.Dims)+len(measures))
		for i := range row.Dims {
			dst = append(dst, &row.Dims[i])
		}
		f := &row.Figures
		dst = append(dst, &f.Clicks, &f.UniqueClicks, &f.BotClicks, &f.LPViews, &f.LPClicks,
			&f.Approved, &f.Pending, &f.Rejected, &f.Chargebacks, &f.Cost, &f.Revenue, &f.PendingRevenue)
		if err := rows.Scan(dst...); err != nil {
			return err
		}
		return fn(row)
	}, b.sql(), b.args...)
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
