package schema

import (
	"context"
	"iter"

	"github.com/google/uuid"
)

// Column is a column of a table. Type contains the codec if the column has one.
type Column struct{ Name, Type string }

// Table describes a table whose rows have a key and a version. Only the row with the highest version of a key counts. All names come
// from this program, never from a client.
type Table struct {
	Name    string
	Columns []Column
	// Engine is the name of the engine with its arguments.
	Engine string
	// Layout follows the engine in the CREATE TABLE statement: the partitions, the order of the rows, and settings.
	Layout string
}

// Store reads and writes tables. The methods are documented at clickhouse.Conn.
type Store interface {
	Ensure(ctx context.Context, tables ...Table) error
	Put(ctx context.Context, t Table, rows iter.Seq[[]any]) error
	DropPartition(ctx context.Context, t Table, name string) error
	DeleteAccounts(ctx context.Context, t Table, accounts []uuid.UUID) error
	Exec(ctx context.Context, what, query string, args ...any) error
	Reader
}

// Reader reads rows of a Store.
type Reader interface {
	Each(ctx context.Context, what string, fn func(scan func(...any) error) error, query string, args ...any) error
}

// Rows runs a query and returns its rows. places returns the scan destinations of a row.
func Rows[T any](ctx context.Context, from Reader, what string, places func(*T) []any, query string, args ...any) ([]T, error) {
	var list []T
	err := from.Each(ctx, what, func(scan func(...any) error) error {
		var row T
		err := scan(places(&row)...)
		list = append(list, row)
		return err
	}, query, args...)
	return list, err
}

// Values runs a query of one column and returns its values.
func Values[T any](ctx context.Context, from Reader, what, query string, args ...any) ([]T, error) {
	return Rows(ctx, from, what, func(value *T) []any { return []any{value} }, query, args...)
}
