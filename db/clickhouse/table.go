package clickhouse

import (
	"context"
	"strings"

	"switchyard/db/columnar"
)

// Ensure makes tables that are not there, and adds columns that are missing. Several processes may call it at once.
func (c *Conn) Ensure(ctx context.Context, tables ...columnar.Table) error {
	for _, t := range tables {
		if err := c.Exec(ctx, "make table "+t.Name, create(t)); err != nil {
			return err
		}
		if err := c.Exec(ctx, "add columns of "+t.Name, extend(t)); err != nil {
			return err
		}
	}
	return nil
}

func create(t columnar.Table) string {
	lines := make([]string, 0, len(t.Columns)+len(t.Extra))
	for _, col := range t.Columns {
		lines = append(lines, col.Name+" "+col.Type)
	}
	lines = append(lines, t.Extra...)
	return "CREATE TABLE IF NOT EXISTS " + t.Name + " (\n\t" + strings.Join(lines, ",\n\t") + "\n) " + t.Engine
}

func extend(t columnar.Table) string {
	adds := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		adds[i] = "ADD COLUMN IF NOT EXISTS " + col.Name + " " + col.Type
	}
	return "ALTER TABLE " + t.Name + " " + strings.Join(adds, ", ")
}

// insert is the statement that adds rows with all columns.
func insert(t columnar.Table) string {
	names := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		names[i] = col.Name
	}
	return "INSERT INTO " + t.Name + " (" + strings.Join(names, ", ") + ")"
}
