// Package clickhouse stores rows in ClickHouse. Ensure creates the tables, and Put stores the rows.
//
// Rows may be stored although no answer arrives, because a connection was cut or one of the programs was killed. Rows have a
// key and a version, and the engine of the table keeps the highest version of a key. It is therefore safe to send rows again
// until an answer arrives. The caller must fix the rows of a version before it sends the version for the first time. A
// repetition therefore has the same rows or a higher version.
//
// With a cluster, each table becomes two tables on every server. The replicated table, whose name ends in _local, has the rows. The
// table without the suffix distributes rows to the shards by account. All rows of an account are on one shard, because versions are
// compared within a shard.
package clickhouse
