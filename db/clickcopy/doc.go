// Package clickcopy maintains a copy of every click and conversion in ClickHouse. The copy is some seconds behind, and reports
// can be read from it. Triggers record which rows change, and Copy copies them. Whole days of old clicks may leave PostgreSQL
// once their copy is complete.
//
// The package imports click, conversion and spend. The code that reads the copy is in package click.
package clickcopy
