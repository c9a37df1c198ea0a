// Package clicklog stores what happens: clicks, click-outs, raw postbacks, conversions and the clicks of smartlinks.
//
// The Ingester reads the process's spool in order and stores batches in PostgreSQL, each in one transaction with the
// ledger deltas it causes. A crash anywhere replays from the spool's mark, and every record is stored once, because it is
// known by its id. PostgreSQL may be away for as long as the disk has room.
//
// Another engine could hold the clicks and the ledger. What it has to offer stands in one place for each use: batchStore
// stores a batch once, Finder finds a click, columns.read and Clear walk a window, ledger.Deltas.Write applies deltas, and
// report.Each answers a report.
//
// Everything about one click happens under the lock of its row, with the ledger deltas in the same transaction.
package clicklog
