// Package columnar has the words in which rows are handed to a store of columns: tables, and batches that are stored once.
// Package clickhouse is such a store. Who only says what a row is needs no client of one.
package columnar

import (
	"context"
	"iter"
	"strconv"
	"time"
)

// Column is a column of a table: its type, with its codec if it has one.
type Column struct{ Name, Type string }

// Table is a table. Its names are of this program, never of a client.
type Table struct {
	Name    string
	Columns []Column
	// Extra are its indexes and projections.
	Extra []string
	// Engine stands behind the columns: the engine, how rows are ordered, and settings.
	Engine string
}

// tokens is how many batches back a table knows a repetition.
const tokens = 10_000

// Tokens is the setting of an engine that lets a table refuse repeated batches.
var Tokens = "non_replicated_deduplication_window = " + strconv.Itoa(tokens)

// Batch is a set of rows that are added up. Its table has the columns batch (UInt64) and hour (DateTime), is partitioned by
// toYYYYMM(hour), and its engine has the setting Tokens.
type Batch struct {
	Table  Table
	Number uint64 // nobody else's, and never that of other rows
	Rows   []Row
	// Again says that it may have been tried before, by a process that has ended.
	Again bool
}

// Row is a row of a batch, with all columns of the table.
type Row struct {
	Hour  time.Time // the value of the column hour
	Cells []any
}

// Store keeps rows: clickhouse.Conn, which says what each method promises.
type Store interface {
	Ensure(ctx context.Context, tables ...Table) error
	Put(ctx context.Context, t Table, rows iter.Seq[[]any]) error
	Once(ctx context.Context, b Batch) error
	Settle(ctx context.Context, t Table, number uint64, row Row) error
	Exec(ctx context.Context, what, query string, args ...any) error
	Each(ctx context.Context, what string, fn func(scan func(...any) error) error, query string, args ...any) error
}
