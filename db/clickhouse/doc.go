// Package clickhouse stores rows in ClickHouse. Ensure creates the tables, and Put stores the rows.
//
// If a connection was cut or one of the programs was killed, rows may be stored although no answer arrives. Rows have a key and a
// version, and the engine of the table keeps the highest version of a key. It is therefore safe to send rows again until an
// answer arrives. The caller must not change the rows of a version after it has sent the version for the first time. Rows that
// are sent again therefore are the same rows, or have a higher version.
//
// With a cluster, each table becomes two tables on every server. The replicated table, whose name ends in _local, has the rows.
// The table without the suffix distributes rows to the shards by account. All rows of an account must be on one shard, because
// versions are compared only within a shard.
package clickhouse
