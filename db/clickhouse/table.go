package clickhouse

import (
	"context"
	"strconv"
	"strings"
)

// Column is a column of a table: its type, with its codec if it has one.
type Column struct{ Name, Type string }

// Table is a table of the database. Its names are of this program, never of a client.
type Table struct {
	Name    string
	Columns []Column
	// Extra are its indexes and projections.
	Extra []string
	// Engine stands behind the columns: the engine, how rows are ordered, and settings.
	Engine string
}

// Ensure makes tables that are not there, and adds columns that are missing. Several processes may call it at once.
func (c *Conn) Ensure(ctx context.Context, tables ...Table) error {
	for _, t := range tables {
		if err := c.Exec(ctx, "make table "+t.Name, t.create()); err != nil {
			return err
		}
		if err := c.Exec(ctx, "add columns of "+t.Name, t.extend()); err != nil {
			return err
		}
	}
	return nil
}

func (t Table) create() string {
	lines := make([]string, 0, len(t.Columns)+len(t.Extra))
	for _, col := range t.Columns {
		lines = append(lines, col.Name+" "+col.Type)
	}
	lines = append(lines, t.Extra...)
	return "CREATE TABLE IF NOT EXISTS " + t.Name + " (\n\t" + strings.Join(lines, ",\n\t") + "\n) " + t.Engine
}

func (t Table) extend() string {
	adds := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		adds[i] = "ADD COLUMN IF NOT EXISTS " + col.Name + " " + col.Type
	}
	return "ALTER TABLE " + t.Name + " " + strings.Join(adds, ", ")
}

// insert is the statement that adds rows with all columns.
func (t Table) insert() string {
	names := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		names[i] = col.Name
	}
	return "INSERT INTO " + t.Name + " (" + strings.Join(names, ", ") + ")"
}

// tokens is how many batches back a table knows a repetition.
const tokens = 10_000

// Tokens is the setting of an engine that lets a table refuse repeated batches.
var Tokens = "non_replicated_deduplication_window = " + strconv.Itoa(tokens)
