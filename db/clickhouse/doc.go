// Package clickhouse keeps rows in ClickHouse: tables that are made by Ensure, and rows that are stored by Put.
//
// Rows may have been stored although no answer came: a connection was cut, or one of the programs was killed. Rows have a key and
// a version, and the table's engine keeps the highest version of a key. It is therefore safe to send rows again until an answer
// comes. The caller has written down what a version stands for before the first try: a repetition has the same rows, or a higher
// version.
//
// With a cluster, each table becomes two tables on every server. The replicated table has the suffix _local. The other one
// distributes rows to the shards by account. All rows of an account are on one shard, since versions are compared within a shard.
package clickhouse
