// Package clickhouse keeps rows in ClickHouse: tables that are made by Ensure, and rows that are stored by Put.
//
// What is sent may have been stored although no answer came: a connection was cut, or one of the programs was killed. Rows have
// a key and a version, and the table's engine keeps the highest version of a key. So rows are sent until they are answered.
// The caller has written down what a version stands for before the first try: a repetition has the same rows, or a higher
// version.
//
// With a cluster each table is a replicated one on every server, named with _local behind, and one that distributes rows to
// the shards by account. All rows of an account are on one shard, since versions are compared within a shard.
package clickhouse
