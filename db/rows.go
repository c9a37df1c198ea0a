package db

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// CopyIn inserts rows by COPY. c must be a transaction. A row is read before the next is asked for, so rows may reuse
// its slice.
func CopyIn(ctx context.Context, c Conn, table, columns string, rows iter.Seq[[]any]) (err error) {
	p, ok := c.(sqlx.PreparerContext)
	if !ok {
		return fmt.Errorf("db: cannot COPY on %T", c)
	}
	stmt, err := p.PrepareContext(ctx, `COPY `+table+` (`+columns+`) FROM STDIN`)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	for row := range rows {
		if _, err := stmt.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

// UUIDs writes ids in PostgreSQL's text form of uuid[].
func UUIDs(ids []uuid.UUID) string {
	var b strings.Builder
	b.Grow(2 + 37*len(ids))
	b.WriteByte('{')
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(id.String())
	}
	b.WriteByte('}')
	return b.String()
}

// EachRow runs a query and calls scan with each row. An error of scan ends it.
func EachRow(ctx context.Context, c Conn, scan func(*sqlx.Rows) error, query string, args ...any) (err error) {
	rows, err := c.QueryxContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
