// Package export reads the rows of report files one by one, so that a file of any length takes the same memory.
// PostgreSQL formats the values: a file has them as it sends them.
package export

import (
	"context"
	"database/sql"
	"errors"
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
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// Foreign tells for each column whether its texts come from outside. A spreadsheet could take such a text for a formula.
func (t Table) Foreign() []bool {
	list := make([]bool, len(t.columns))
	for i, c := range t.columns {
		list[i] = c.kind == foreign
	}
	return list
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
		args = append(args, uuid.NullUUID{UUID: q.Link, Valid: q.Link != uuid.Nil})
	}
	return args
}

// Count counts the rows, up to atMost.
func (t Table) Count(ctx context.Context, c db.Conn, q Query, atMost int) (int, error) {
	var n int
	query := fmt.Sprintf(`SELECT count(*) FROM (%s LIMIT %d) f`, t.count, atMost)
	err := sqlx.GetContext(ctx, c, &n, query, t.args(q)...)
	if err != nil {
		return 0, fmt.Errorf("export: count: %w", err)
	}
	return n, nil
}

// Each calls fn with the cells of every row, newest first, as of one moment. The cells are valid until fn returns. Each
// ends with the first error of fn.
func (t Table) Each(ctx context.Context, c db.Conn, q Query, fn func([]sql.RawBytes) error) (err error) {
	exprs := make([]string, len(t.columns))
	for i, c := range t.columns {
		exprs[i] = c.expr
	}
	query := `SELECT ` + strings.Join(exprs, ", ") + ` FROM ` + t.from
	rows, err := c.QueryxContext(ctx, query, t.args(q)...)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	cells, into := make([]sql.RawBytes, len(t.columns)), make([]any, len(t.columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("export: %w", err)
		}
		if err := t.show(cells); err != nil {
			return err
		}
		if err := fn(cells); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
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
