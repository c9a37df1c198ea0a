// Package schema describes tables of ClickHouse and writes SQL expressions over their columns. Code that uses it need not import
// the ClickHouse client.
package schema
