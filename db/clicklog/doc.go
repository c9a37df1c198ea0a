// Package clicklog keeps what happens: clicks, click-outs, raw postbacks and conversions.
//
// The way of a fact: Append puts it into the spool, segment files on local disk, and returns when it is on stable
// storage. The Ingester of the same process reads the spool in order and stores batches in PostgreSQL, each in one
// transaction with the ledger deltas it causes, then moves its mark. A crash anywhere replays from the mark, and
// every record is stored once, because it is known by its id. PostgreSQL may be away for as long as the disk has
// room.
//
// The ledger holds sums of deltas by hour and dimension. Whatever changes a counted fact writes the old vector with
// minus and the new one with plus in the transaction of the change, under the lock of the click's row, so that
// ledger and rows give the same figures at any moment.
package clicklog
