// Package clickcopy maintains a copy of every click and conversion in ClickHouse, which is some seconds behind. Reports can be read
// from it. Triggers note which rows a statement changes, and Copy then copies these rows. Whole days of old clicks may leave
// PostgreSQL once their copy is complete.
//
// The package imports click, conversion and spend. Reads of the copy are in package click.
package clickcopy
