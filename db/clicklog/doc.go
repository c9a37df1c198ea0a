// Package clicklog stores what happens: clicks, click-outs, raw postbacks, conversions and the clicks of smartlinks.
//
// The Ingester reads the process's spool in order. It stores batches in PostgreSQL, each in one transaction with the
// ledger deltas that it causes. A crash anywhere replays from the spool's mark. A record is known by its id, so it is
// stored once. PostgreSQL may be away for as long as the disk has room.
//
// Whatever changes a click locks its row and writes the ledger deltas in the same transaction.
//
// Another engine could hold the clicks and the ledger. It takes the place of these types, which cmd passes to their
// users; each user names the methods that it calls in an interface of its own:
//
//   - postgres stores a batch once, for the Ingester (batchStore).
//   - Log finds a click, walks a window of a log and deletes one.
//   - Log also changes single clicks and applies deltas, for the code of conversions and click-outs (changer).
//   - report.Reader answers a report, and export.Reader walks the rows of a file.
//
// Postbacks, conversions and waiting click-outs stay in PostgreSQL, whatever the engine.
package clicklog
