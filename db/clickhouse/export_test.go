package clickhouse

import (
	"maps"

	"switchyard/db/clickhouse/schema"
)

// Statements returns the statements that create a table on a cluster and drop a partition of it.
func Statements(cluster string, t schema.Table, partition string) []string {
	c := &Conn{cluster: cluster}
	return append(c.ensure(t), c.dropPartition(t, partition))
}

// Passing returns the codes and names of temporary errors.
func Passing() map[int32]string { return maps.Clone(passing) }
