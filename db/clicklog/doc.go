// Package clicklog stores what happens: clicks, click-outs, raw postbacks, conversions and the clicks of smartlinks.
//
// The Ingester reads the process's spool in order. It stores batches in PostgreSQL, each in one transaction with the
// ledger deltas that it causes. A crash anywhere replays from the spool's mark. A record is known by its id, so it is
// stored once. PostgreSQL may be away for as long as the disk has room.
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
// Another engine could hold the clicks and the ledger. It takes the place of these types, which cmd passes to their
// users; each user names the methods that it calls in an interface of its own:
//
//   - postgres stores a batch once, for the Ingester (batchStore).
//   - Log finds a click, walks a window of a log and deletes one.
//   - clickStore has what Log asks of it inside transactions: clicks by id and by range, changes of their columns, deltas.
//     What is one statement of PostgreSQL over many clicks is not behind it yet: spend that is spread, arrivals, what scans
//     for bots compare, and what is erased for a visitor.
//   - report.Reader answers a report, and export.Reader walks the rows of a file.
//
// Mirror copies days of clicks and ledger to ClickHouse and audits them: the tables and the way there for such an engine. No
// report reads them yet.
//
// Postbacks, conversions and waiting click-outs stay in PostgreSQL, whatever the engine.
package clicklog
