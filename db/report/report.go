package report

import (
	"context"
	"fmt"
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

// Performance gives the figures grouped by the dimensions of the query, most clicks first. Groups in which nothing
// happened are left out; without dimensions there is exactly one row.
func Performance(ctx context.Context, c db.Conn, q Query) ([]Row, error) {
	var list []Row
	err := Each(ctx, c, q, func(r Row) error {
		list = append(list, r)
		return nil
	})
	return list, err
}

// Each is Performance row by row, for answers too long to hold. It ends with the first error of fn.
func Each(ctx context.Context, c db.Conn, q Query, fn func(Row) error) error {
	b, err := plan(q)
	if err != nil {
		return err
	}
	return db.EachRow(ctx, c, "performance", func(rows *sqlx.Rows) error {
		r := Row{Dims: make([]string, len(b.dims))}
		dst := make([]any, 0, len(r.Dims)+len(measures))
		for i := range r.Dims {
			dst = append(dst, &r.Dims[i])
		}
		f := &r.Figures
		dst = append(dst, &f.Clicks, &f.UniqueClicks, &f.BotClicks, &f.LPViews, &f.LPClicks,
			&f.Approved, &f.Pending, &f.Rejected, &f.Chargebacks, &f.Cost, &f.Revenue, &f.PendingRevenue)
		if err := rows.Scan(dst...); err != nil {
			return err
		}
		return fn(r)
	}, b.sql(), b.args...)
}

// Overview gives the figures of an account in [from, to).
func Overview(ctx context.Context, c db.Conn, account uuid.UUID, from, to time.Time) (models.Figures, error) {
	rows, err := Performance(ctx, c, Query{AccountID: account, From: from, To: to})
	if err != nil {
		return models.Figures{}, err
	}
	return rows[0].Figures, nil
}

// FiguresOf gives the figures of some records of a list, campaigns say, in [from, to). Records without any are not
// in the answer.
func FiguresOf(ctx context.Context, c db.Conn, account uuid.UUID, dimension string, ids []uuid.UUID,
	from, to time.Time,
) (map[uuid.UUID]models.Figures, error) {
	rows, err := Performance(ctx, c, Query{
		AccountID: account, From: from, To: to, Dimensions: []string{dimension},
		Filters: []Filter{{dimension, db.Map(ids, uuid.UUID.String)}},
	})
	if err != nil {
		return nil, err
	}
	figures := make(map[uuid.UUID]models.Figures, len(rows))
	for _, r := range rows {
		key, err := uuid.Parse(r.Dims[0])
		if err != nil {
			return nil, fmt.Errorf("report: figures by %s: %w", dimension, err)
		}
		figures[key] = r.Figures
	}
	return figures, nil
}

// Labels gives the names of the values of a dimension that are ids of the account's records, deleted ones included.
// Other values have no label.
func Labels(ctx context.Context, c db.Conn, account uuid.UUID, dimension string, values []string,
) (map[string]string, error) {
	d, err := find(dimension)
	if err != nil {
		return nil, err
	}
	labels := map[string]string{}
	ids := uuids(values)
	if d.names == "" || len(ids) == 0 {
		return labels, nil
	}
	rows, err := db.Select[struct {
		ID   string `db:"id"`
		Name string `db:"name"`
	}](ctx, c, "labels of "+dimension, d.names, account, ids)
	for _, r := range rows {
		labels[r.ID] = r.Name
	}
	return labels, err
}
