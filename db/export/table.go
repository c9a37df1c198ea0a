// Package export reads the rows of report files one by one, so that a file of any length takes the same memory.
// PostgreSQL formats the values: a file has them as it sends them.
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
	"switchyard/models"
)

// column is a column of a file: its heading, the SQL expression of its value, and who decided what stands in it.
type column struct {
	name string
	expr string
	kind kind
}

type kind uint8

const (
	plain   kind = iota // ours: an id, a number, a time
	foreign             // a text from outside
	clickID             // a click's id, shown in its own form
)

// Table is something whose rows a file can hold.
type Table struct {
	columns []column
	count   string // the facts of an account ($1) in the window $2 to $3
	from    string
	linked  bool                // $4 is the smartlink, or null
	moment  func(time.Time) any // a moment as the window's parameter
}

// Names gives the headings.
func (t Table) Names() []string {
	return db.Map(t.columns, func(c column) string { return c.name })
}

// Foreign reports for each column whether its texts come from outside. A spreadsheet could take such a text for a formula.
func (t Table) Foreign() []bool {
	return db.Map(t.columns, func(c column) bool { return c.kind == foreign })
}

// Query names the rows of an account in [From, To).
type Query struct {
	AccountID uuid.UUID
	From, To  time.Time
	Link      uuid.UUID // of smartlink clicks: only this smartlink's; zero: all
}

func (t Table) args(q Query) []any {
	args := []any{q.AccountID, t.moment(q.From), t.moment(q.To)}
	if t.linked {
		args = append(args, db.OrNull(q.Link))
	}
	return args
}

// Count counts the rows, up to atMost.
func (t Table) Count(ctx context.Context, c db.Conn, q Query, atMost int) (int, error) {
	return db.Get[int](ctx, c, "count rows", fmt.Sprintf(`SELECT count(*) FROM (%s LIMIT %d) f`, t.count, atMost), t.args(q)...)
}

// Each calls fn with the cells of every row, newest first, as of one moment. The cells are valid until fn returns. Each
// ends with the first error of fn.
func (t Table) Each(ctx context.Context, c db.Conn, q Query, fn func([]sql.RawBytes) error) error {
	exprs := db.Map(t.columns, func(c column) string { return c.expr })
	query := `SELECT ` + strings.Join(exprs, ", ") + ` FROM ` + t.from
	cells, into := make([]sql.RawBytes, len(t.columns)), make([]any, len(t.columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	return db.EachRow(ctx, c, "export", func(rows *sqlx.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := t.show(cells); err != nil {
			return err
		}
		return fn(cells)
	}, query, t.args(q)...)
}

// show turns ids of clicks into their public form.
func (t Table) show(cells []sql.RawBytes) error {
	for i, c := range t.columns {
		if c.kind != clickID {
			continue
		}
		id, err := uuid.ParseBytes(cells[i])
		if err != nil {
			return fmt.Errorf("export: click id: %w", err)
		}
		cells[i] = sql.RawBytes(models.FormatClickID(id))
	}
	return nil
}

func id(name string) column {
	return column{name, `nullif(f.` + name + `, '00000000-0000-0000-0000-000000000000')::text`, plain}
}

func text(name string) column { return column{name, `f.` + name, foreign} }

func number(name string) column { return column{name, `f.` + name + `::text`, plain} }

func numberOrNone(name string) column { return column{name, `nullif(f.` + name + `, 0)::text`, plain} }

func money(name string) column { return column{name, `trim_scale(f.` + name + `)::text`, plain} }

func stamp(name, expr string) column {
	return column{name, `to_char(` + expr + ` AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')`, plain}
}
