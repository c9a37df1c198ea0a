package clickhouse

import "switchyard/db/columnar"

// Statements are those that make a table on a cluster, and drop a partition of it.
func Statements(cluster string, t columnar.Table, partition string) []string {
	c := &Conn{cluster: cluster}
	return append(c.ensure(t), c.dropPartition(t, partition))
}
