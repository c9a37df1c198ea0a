// Package spool is an append-only log on local disk. What a tracking link has to record waits in it until it is stored in
// PostgreSQL.
//
// Append returns when the record is on stable storage: one write and one sync make durable all records that arrived
// meanwhile (group commit). A Reader gives them back in order. Its mark says up to where they are stored, and is written
// at most once a second, so a crash replays some of them: whoever stores them has to know a record by its id.
//
// A spool is a directory that several processes may share. Each holds a sub-directory through a file lock, with segments
// of 32 MiB, the mark, and the file "rejected" for records that PostgreSQL refuses. The directory of a process that is
// gone is adopted by another. Damage never stops a Reader: it goes on at the next sound record.
package spool
