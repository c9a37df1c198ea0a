package report

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/models"
	"switchyard/models/measure"
)

func (r Reader) eachOfPostgres(ctx context.Context, q *query, fn func(Row) error) error {
	b := q.write(postgres{})
	return db.EachRow(ctx, r.Conn, "performance", func(rows *sqlx.Rows) error {
		var place sql.NullInt64
		row, dst := q.row()
		if err := rows.Scan(append(dst, &place)...); err != nil {
			return err
		}
		row.Total = !place.Valid
		q.label(row)
		return fn(*row)
	}, b.statement(), b.args...)
}

func (r Reader) eachOfCopy(ctx context.Context, q *query, fn func(Row) error) error {
	b := q.write(clickHouse{})
	var totals *Row // comes first in the answer, but is passed to fn last
	err := r.Copy.Each(ctx, "performance", func(scan func(...any) error) error {
		var total uint8
		row, dst := q.row()
		if err := scan(append(dst, &total)...); err != nil {
			return err
		}
		row.Total = total == 1
		q.label(row)
		if row.Total {
			totals = row
			return nil
		}
		return fn(*row)
	}, clickHouse{}.statement(b), b.args...)
	if err == nil {
		r.Copy.CountAnswer(click.FromCopy)
	}
	if err != nil || !q.Totals || len(b.dims) == 0 {
		return err
	}
	if totals == nil {
		totals, _ = q.row()
		totals.Total = true
	}
	return fn(*totals)
}

// row returns an empty row of the answer, and the scan destinations of its columns except the last, which marks the totals.
func (q *query) row() (*Row, []any) {
	row := &Row{Dims: make([]string, len(q.periods[0].dims))}
	dst := make([]any, 0, len(row.Dims)+2*len(measure.Counters)+1)
	for i := range row.Dims {
		dst = append(dst, &row.Dims[i])
	}
	dst = row.AppendPointersTo(dst)
	if q.Compare != nil {
		row.Before = &models.Figures{}
		dst = row.Before.AppendPointersTo(dst)
	}
	return row, dst
}

// label replaces the numbers that the database returns for hours, days and other parts of the time with their names. In the row of
// totals it empties the values of all dimensions.
func (q *query) label(row *Row) {
	for i, d := range q.periods[0].dims {
		switch {
		case row.Total:
			row.Dims[i] = ""
		case d.clock != nil:
			row.Dims[i] = d.clock.label(row.Dims[i])
		}
	}
}
