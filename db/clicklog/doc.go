// Package clicklog stores what happens: clicks, click-outs, raw postbacks, conversions and the clicks of smartlinks.
//
// The Ingester reads the process's spool in order. It stores batches in PostgreSQL, each in one transaction with the
// ledger deltas that it causes. A crash anywhere replays from the spool's mark. A record is known by its id, so it is
// stored once. PostgreSQL may be away for as long as the disk has room. Lanes gives the clicks of floods a spool of their own.
//
// An ingester marks the clicks of floods that it recognises. ScanBots finds the rest, and what shows only after the click.
//
// Code that changes a click locks its row and writes the ledger deltas in the same transaction.
//
// A fact keeps its own amounts and their currency; the rate of its day is stored next to them. Reports and the ledger add up
// the product, in the account's currency. So everything that shows or sends a row shows the original amounts, the statements
// of a conversion compute its payout again in its own currency, and a rate that comes later changes one column. Products are
// not rounded: the shares of a spend add up to what the spend counts. Only the cost of a conversion is stored in the account's
// currency, because the prices of its click and its payout may have two currencies. Facts in the account's own currency have
// the rate 1 and look nothing up. Without a rate the column is NULL, and the fact counts no money. Package rates describes how
// a day gets its rate; Restate moves the facts when it has got one.
//
// Copy keeps a copy of every click and conversion in ClickHouse, some seconds behind, from which reports can be read. Triggers
// note which rows a statement changes, and these rows are then copied. PostgreSQL decides everything and is the source of
// truth.
package clicklog
