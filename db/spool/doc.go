// Package spool is an append-only log on local disk. The records of tracking links wait in it until they are stored
// in PostgreSQL.
// Append returns when the record is on stable storage. One write and one sync make durable all records that arrived
// during the one before (group commit). A Reader reads them in order. Its mark says up to where they are stored. The mark is
// written at most once a second, so some records are read again after a crash: who stores them must know a record by
// its id.
// A record that the disk is slow to take, or refuses for a time, waits in memory, up to a limit. The caller of
// Append may go on.
// A full disk ends the segment in use. So every segment on it can be stored and deleted, and what waits in memory is
// written to the space that becomes free.
// A spool is a directory that several processes may share. Each holds a sub-directory by a file lock. It has segments
// of 32 MiB (smaller ones on a small volume), the mark, and the file "rejected" for records that PostgreSQL refuses. A
// busy process prepares its next segment in the file "next": see ahead.go. The sub-directory of a process that is gone
// is adopted by another. A Reader skips damaged data and goes on at the next intact record.
package spool
