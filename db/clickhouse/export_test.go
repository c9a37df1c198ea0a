package clickhouse

import (
	"maps"

	"switchyard/db/clickhouse/schema"
)

// Statements returns the statements that create a table on a cluster, and the statement that drops a partition of the table.
func Statements(cluster string, t schema.Table, partition string) []string {
	c := &Conn{cluster: cluster}
	return append(c.ensure(t), c.dropPartition(t, partition))
}

// Passing returns the errors that do not depend on a statement, by their codes.
func Passing() map[int32]string { return maps.Clone(passing) }
