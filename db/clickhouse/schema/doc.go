// Package schema describes tables of ClickHouse and writes SQL expressions over their columns. Package clickhouse stores the rows. Code
// that only describes or reads tables imports this package, and not the ClickHouse client.
package schema
