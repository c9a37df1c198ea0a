// Package spool is an append-only log on local disk. The records of tracking links wait in it until they are stored in PostgreSQL.
//
// Append returns when the record is on stable storage. All records that arrive during a write are made durable together, by the next
// write and one sync (group commit). A record that the disk is slow to take, or refuses for a time, waits in memory, up to a limit. The
// caller of Append may go on.
//
// A Reader reads the records in order. Its mark is the position up to which all records are stored in PostgreSQL. The mark is written
// at most once a second, so some records are read again after a crash. The code that stores records must therefore recognize by the id
// a record that is stored already. A Reader skips damaged data and goes on at the next intact record.
//
// A spool is a directory that several processes may share. Each process holds a sub-directory by a file lock. When a process is gone,
// another process adopts its sub-directory. A sub-directory has segments, the mark, and the file "rejected" for records that PostgreSQL
// refuses. A segment has 32 MiB, or less on a small volume, and takes no records for more than a day. When the disk is full, the
// segment in use ends. So every segment on disk can be stored and deleted, and the records that wait in memory are written to the space
// that becomes free. A busy process prepares its next segment in the file "next": see ahead.go.
package spool
