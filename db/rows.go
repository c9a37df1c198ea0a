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
func UUIDs(ids []uuid.UUID) string { return "{" + strings.Join(Map(ids, uuid.UUID.String), ",") + "}" }

// ByKey gives the items of a list by their keys.
func ByKey[K comparable, T any](list []T, key func(T) K) map[K]T {
	items := make(map[K]T, len(list))
	for _, item := range list {
		items[key(item)] = item
	}
	return items
}

// Map gives what of makes of each item of a list, for the columns of a statement that takes many rows.
func Map[T, V any](list []T, of func(T) V) []V {
	out := make([]V, len(list))
	for i, item := range list {
		out[i] = of(item)
	}
	return out
}
