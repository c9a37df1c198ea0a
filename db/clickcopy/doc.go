// Package clickcopy maintains a copy of every click and conversion in ClickHouse. The copy is some seconds behind, and reports
// can be read from it. Triggers record which rows a statement changes, and Copy then copies these rows. Whole days of old clicks
// may leave PostgreSQL once their copy is complete. Such days are called cold, and a change of their clicks thaws them: see package
// click.
//
// The package imports click, conversion and spend. The code that reads the copy is in package click.
package clickcopy
