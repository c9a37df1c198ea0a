// Package ingest moves the records of the spools, such as clicks and postbacks, from the disk to PostgreSQL.
//
// An Ingester reads a spool in order and stores its records in batches. One transaction stores a batch and its
// ledger deltas. The spool marks on disk which records are stored. After a crash, the ingester reads again from this mark. It
// recognizes a stored record by its id, so each record is stored once. While PostgreSQL is unavailable, records wait on the disk
// until the disk is full. Lanes gives the clicks of floods a separate spool. Lag reports to all processes how far a process is
// behind.
package ingest
