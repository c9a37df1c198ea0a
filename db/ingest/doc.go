// Package ingest moves clicks, click-outs, postbacks, page events and the clicks of smartlinks from the disk to PostgreSQL.
//
// The Ingester reads the process's spool in order. It stores the records in batches in PostgreSQL. One transaction stores a batch
// and the ledger deltas that the batch causes. After a crash, the ingester reads again from the spool's mark. It recognizes a
// stored record by its id, so each record is stored once. While PostgreSQL is unavailable, records wait on the disk until the
// disk is full. Lanes gives the clicks of floods a separate spool. Lag reports to all processes how far a process is behind.
package ingest
