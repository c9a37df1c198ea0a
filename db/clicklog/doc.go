// Package clicklog stores what happens: clicks, click-outs, raw postbacks, conversions and the clicks of smartlinks.
//
// The Ingester reads the process's spool in order. It stores batches in PostgreSQL, each in one transaction with the
// ledger deltas that it causes. A crash anywhere replays from the spool's mark. A record is known by its id, so it is
// stored once. PostgreSQL may be away for as long as the disk has room. Lanes gives the clicks of floods a spool of their own.
//
// An ingester marks the clicks of floods that it recognises. ScanBots finds the rest, and what shows only after the click.
//
// Whatever changes a click locks its row and writes the ledger deltas in the same transaction.
//
// A fact keeps its own amounts and their currency; the rate of its day stands beside them. What is added up, by reports and
// in the ledger, is the product, in the account's currency. So everything that shows or sends a row shows what was said,
// statements of a conversion work a payout out anew in its own currency, and a rate that comes later changes one column.
// Products are not rounded: the shares of spend count together what the spend does. Only the cost of a conversion is in the
// account's currency itself, as the prices of its click and its payout may have two. Facts in the account's own currency
// have the rate 1 and look nothing up. Without a rate the column is NULL, and the fact counts no money. Package rates says
// how a day gets its rate; Restate moves the facts when it has got one.
//
// Copy has a copy of every click and conversion in ClickHouse, some seconds behind, which reports can be read from. Triggers note
// which rows a statement changes, and what was noted is brought there. PostgreSQL decides everything, and is the truth.
package clicklog
