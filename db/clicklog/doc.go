// Package clicklog stores clicks, click-outs, raw postbacks, conversions and the clicks of smartlinks.
//
// The Ingester reads the process's spool in order. It stores the records in batches in PostgreSQL. One transaction stores a batch
// and the ledger deltas that the batch causes. After a crash, the ingester reads again from the spool's mark. It recognizes a
// stored record by its id, so each record is stored once. PostgreSQL may be unavailable until the disk is full. Lanes gives the
// clicks of floods a separate spool.
//
// An ingester marks the clicks of floods that it recognises. ScanBots finds the other floods, and signals that show only after
// the click.
//
// Code that changes a click locks its row and writes the ledger deltas in the same transaction.
//
// A click, conversion or spend (a fact) keeps its own amounts and their currency. The rate of its day is stored in a column next
// to them. Reports and the ledger add up the product of amount and rate, which is in the account's currency. This has three
// advantages. Lists and messages contain the original amounts. A conversion's payout is computed from its statements in its own
// currency. A rate that becomes known later changes a single column. Products are not rounded, so the shares of a spend add up to
// the total that the spend counts. Only the cost of a conversion is stored in the account's currency, because the prices of its
// click and its payout may have different currencies. Facts in the account's own currency have the rate 1 and need no look-up.
// Without a rate the column is NULL, and the fact counts no money. Package exchangerate describes how a day gets its rate. When a
// rate becomes known, Restate updates the facts and the ledger.
//
// Copy maintains a copy of every click and conversion in ClickHouse, which is some seconds behind. Reports can be read from it.
// Triggers note which rows a statement changes, and Copy then copies these rows. All decisions are made from PostgreSQL, which is
// the source of truth.
package clicklog
