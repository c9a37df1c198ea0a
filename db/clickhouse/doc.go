// Package clickhouse stores rows in ClickHouse.
//
// Rows may be stored although no answer arrives. Rows have a key and a version, and the table keeps the highest version of a key,
// so it is safe to send rows again until an answer arrives. The caller must not change the rows of a version that it has sent.
//
// With a cluster, each table becomes two tables on every server. The replicated table, whose name ends in _local, has the rows.
// The table without the suffix distributes rows to the shards by account. All rows of an account must be on one shard, because
// versions are compared only within a shard.
package clickhouse
