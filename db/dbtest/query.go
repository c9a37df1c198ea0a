package dbtest

import (
	"testing"

	"switchyard/db"
)

// Exec runs a statement, and fails the test on an error.
func Exec(tb testing.TB, c db.Conn, query string, args ...any) {
	tb.Helper()
	if _, err := c.ExecContext(tb.Context(), query, args...); err != nil {
		tb.Fatalf("%v\n%s", err, query)
	}
}

// Get returns the one value that a query reads, and fails the test on an error or if the query finds nothing.
func Get[T any](tb testing.TB, c db.Conn, query string, args ...any) T {
	tb.Helper()
	value, err := db.Get[T](tb.Context(), c, "test", query, args...)
	if err != nil {
		tb.Fatalf("%v\n%s", err, query)
	}
	return value
}

// Select returns the rows that a query reads, and fails the test on an error.
func Select[T any](tb testing.TB, c db.Conn, query string, args ...any) []T {
	tb.Helper()
	rows, err := db.Select[T](tb.Context(), c, "test", query, args...)
	if err != nil {
		tb.Fatalf("%v\n%s", err, query)
	}
	return rows
}
