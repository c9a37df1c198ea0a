package clickhouse

import (
	"context"
	"strings"

	"github.com/google/uuid"

	"switchyard/db/clickhouse/schema"
)

// Ensure creates missing tables and adds missing columns. Several processes may call it at the same time.
func (c *Conn) Ensure(ctx context.Context, tables ...schema.Table) error {
	for _, t := range tables {
		for _, s := range c.ensure(t) {
			if err := c.Exec(ctx, "make table "+t.Name, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// ensure returns the statements that create a table or add its missing columns.
func (c *Conn) ensure(t schema.Table) []string {
	lines, adds := make([]string, len(t.Columns)), make([]string, len(t.Columns))
	for i, col := range t.Columns {
		lines[i] = col.Name + " " + col.Type
		adds[i] = "ADD COLUMN IF NOT EXISTS " + col.Name + " " + col.Type
	}
	body, add := " (\n\t"+strings.Join(lines, ",\n\t")+"\n) ENGINE = ", " "+strings.Join(adds, ", ")
	if c.cluster == "" {
		return []string{
			"CREATE TABLE IF NOT EXISTS " + t.Name + body + t.Engine + " " + t.Layout,
			"ALTER TABLE " + t.Name + add,
		}
	}
	on, local := c.onCluster(), t.Name+localSuffix
	spread := "Distributed('" + c.cluster + "', currentDatabase(), " + local + ", cityHash64(account_id))"
	return []string{
		"CREATE TABLE IF NOT EXISTS " + local + on + body + replicated(t.Engine) + " " + t.Layout,
		"ALTER TABLE " + local + on + add,
		"CREATE TABLE IF NOT EXISTS " + t.Name + on + body + spread,
		"ALTER TABLE " + t.Name + on + add,
	}
}

// All servers of a shard use the same path for a table in Keeper, so the table of a server that is added later is a replica too.
// Each server must have the macros shard and replica.
const keeperPath = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'"

// replicated returns the replicated variant of an engine, which uses Keeper.
func replicated(engine string) string {
	name, arguments, _ := strings.Cut(strings.TrimSuffix(engine, ")"), "(")
	if arguments != "" {
		arguments = ", " + arguments
	}
	return "Replicated" + name + "(" + keeperPath + arguments + ")"
}

// localSuffix ends the name of a table that has the rows of one server.
const localSuffix = "_local"

func (c *Conn) onCluster() string { return " ON CLUSTER '" + c.cluster + "'" }

// DropPartition drops a partition of a table. It is not an error if the partition does not exist. name is the partition's value of
// the table's PARTITION BY expression.
func (c *Conn) DropPartition(ctx context.Context, t schema.Table, name string) error {
	return c.Exec(ctx, "drop a partition of "+t.Name, c.dropPartition(t, name))
}

func (c *Conn) dropPartition(t schema.Table, name string) string {
	if c.cluster == "" {
		return "ALTER TABLE " + t.Name + " DROP PARTITION " + name
	}
	return "ALTER TABLE " + t.Name + localSuffix + c.onCluster() + " DROP PARTITION " + name
}

// DeleteAccounts deletes all rows of accounts from a table that has a column account_id. The server does so in the background.
func (c *Conn) DeleteAccounts(ctx context.Context, t schema.Table, accounts []uuid.UUID) error {
	if len(accounts) == 0 {
		return nil
	}
	name := t.Name
	if c.cluster != "" {
		name += localSuffix + c.onCluster()
	}
	list := make([]string, len(accounts))
	for i, id := range accounts {
		list[i] = "'" + id.String() + "'"
	}
	return c.Exec(ctx, "drop accounts of "+t.Name, "ALTER TABLE "+name+" DELETE WHERE account_id IN ("+strings.Join(list, ", ")+")")
}

func insert(t schema.Table) string {
	names := make([]string, len(t.Columns))
	for i, col := range t.Columns {
		names[i] = col.Name
	}
	return "INSERT INTO " + t.Name + " (" + strings.Join(names, ", ") + ")"
}
