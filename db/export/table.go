// Package export reads the rows of report files one by one, so that a file of any length needs the same memory. PostgreSQL and
// ClickHouse format the values, except some ids.
package export

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/clickhouse/schema"
	"switchyard/models"
)

// column is a column of a file: its heading and the SQL expression of its value.
type column struct {
	name     string
	expr     string
	copyExpr string                 // the same in ClickHouse, for clicks
	foreign  bool                   // the texts come from outside
	format   func(uuid.UUID) string // converts an id to the text in the file; nil: unchanged
}

// Table describes the rows and columns of a kind of file.
type Table struct {
	columns []column
	count   string              // SELECT that is counted: the rows of an account ($1) from $2 to $3
	from    string              // FROM, WHERE and ORDER BY of the statement that reads the rows
	copied  bool                // the rows are also in ClickHouse; true for clicks
	linked  bool                // the statement has the parameter $4: the smartlink, or null for all smartlinks
	moment  func(time.Time) any // converts a time to an argument
}

// Heading is the heading of a column. Texts of a Foreign column come from outside, and a spreadsheet could read them as formulas.
type Heading struct {
	Name    string
	Foreign bool
}

// Headings returns the headings of the columns.
func (t Table) Headings() []Heading {
	return db.Map(t.columns, func(c column) Heading { return Heading{c.name, c.foreign} })
}

// Reader reads rows from PostgreSQL, and old clicks from their copy in ClickHouse.
type Reader struct {
	Conn db.Conn
	Copy *click.CopyReader // nil: PostgreSQL has all rows
}

// Query selects the rows of an account in [From, To).
type Query struct {
	AccountID uuid.UUID
	From, To  time.Time
	Link      uuid.UUID // for smartlink clicks: only this smartlink; zero: all smartlinks
}

func (t Table) args(q Query) []any {
	args := []any{q.AccountID, t.moment(q.From), t.moment(q.To)}
	if t.linked {
		args = append(args, db.OrNull(q.Link))
	}
	return args
}

// Count counts the rows of a table, up to atMost.
func (r Reader) Count(ctx context.Context, t Table, q Query, atMost int) (n int, err error) {
	warm, cold, err := r.divide(ctx, t, q)
	if err != nil {
		return 0, err
	}
	if warm.From.Before(warm.To) || !cold.From.Before(cold.To) {
		query := fmt.Sprintf(`SELECT count(*) FROM (%s LIMIT %d) f`, t.count, atMost)
		if n, err = db.Get[int](ctx, r.Conn, "count rows", query, t.args(warm)...); err != nil {
			return n, err
		}
	}
	if n < atMost && cold.From.Before(cold.To) {
		more, err := r.countCold(ctx, cold)
		return min(n+more, atMost), err
	}
	return n, nil
}

// Each calls fn with the cells of every row, newest first. The rows in PostgreSQL all show the state at the same moment. The
// cells are valid until fn returns. If fn fails, Each returns the error.
func (r Reader) Each(ctx context.Context, t Table, q Query, fn func([]sql.RawBytes) error) error {
	var cold Query
	err := r.Copy.Snapshot(ctx, r.Conn, func(c db.Conn) (err error) {
		in := Reader{Conn: c, Copy: r.Copy}
		if q, cold, err = in.divide(ctx, t, q); err != nil {
			return err
		}
		return in.each(ctx, t, q, fn)
	})
	if err != nil {
		return err
	}
	return r.eachCold(ctx, t, cold, fn)
}

// each calls fn with the rows in PostgreSQL.
func (r Reader) each(ctx context.Context, t Table, q Query, fn func([]sql.RawBytes) error) error {
	exprs := db.Map(t.columns, func(c column) string { return c.expr })
	query := `SELECT ` + strings.Join(exprs, ", ") + ` FROM ` + t.from
	cells, places := make([]sql.RawBytes, len(t.columns)), make([]any, len(t.columns))
	for i := range cells {
		places[i] = &cells[i]
	}
	return db.EachRow(ctx, r.Conn, "export", func(rows *sqlx.Rows) error {
		if err := rows.Scan(places...); err != nil {
			return err
		}
		if err := t.formatIDs(cells); err != nil {
			return err
		}
		return fn(cells)
	}, query, t.args(q)...)
}

// formatIDs replaces ids with the texts in the file.
func (t Table) formatIDs(cells []sql.RawBytes) error {
	for i, c := range t.columns {
		if c.format == nil {
			continue
		}
		id, err := uuid.ParseBytes(cells[i])
		if err != nil {
			return fmt.Errorf("export: %s: %w", c.name, err)
		}
		cells[i] = sql.RawBytes(c.format(id))
	}
	return nil
}

// clickID returns the column of a click's id in its public form.
func clickID(expr string) column {
	return column{name: "click_id", expr: expr, copyExpr: "toString(f.id)", format: models.FormatClickID}
}

func id(name string) column {
	return column{
		name: name, expr: `nullif(f.` + name + `, '00000000-0000-0000-0000-000000000000')::text`,
		copyExpr: "if(f." + name + " = " + schema.NoID + ", '', toString(f." + name + "))",
	}
}

func text(name string) column {
	return column{name: name, expr: `f.` + name, copyExpr: "toString(f." + name + ")", foreign: true}
}

func number(name string) column {
	return column{name: name, expr: `f.` + name + `::text`, copyExpr: "toString(f." + name + ")"}
}

func numberOrNone(name string) column {
	return column{name: name, expr: `nullif(f.` + name + `, 0)::text`, copyExpr: "if(f." + name + " = 0, '', toString(f." + name + "))"}
}

func money(name string) column {
	return column{name: name, expr: `trim_scale(f.` + name + `)::text`, copyExpr: "toString(f." + name + ")"}
}

func stamp(name, expr string) column {
	return column{
		name: name, expr: `to_char(` + expr + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')`, copyExpr: "formatDateTime(" + expr + ", '%F %T')",
	}
}
