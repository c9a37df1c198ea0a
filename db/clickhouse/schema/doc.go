// Package schema describes tables of ClickHouse and writes SQL expressions over their columns. Package clickhouse stores the
// rows. Code that only describes or reads tables can import this package, and need not import the ClickHouse client.
package schema
