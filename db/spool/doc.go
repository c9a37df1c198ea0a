// Package spool is an append-only log on local disk. Clicks, postbacks and other records wait in it until they are stored in
// PostgreSQL.
//
// Append returns nil when the record is on stable storage or, with the option AckPostgres, when it is stored in PostgreSQL. All
// records that arrive during a write are made durable together, by the next write and one sync (group commit). If the disk is slow,
// records wait in memory, up to a limit. With the option Retry, records that the disk refuses for a time wait there too.
//
// A Reader reads the records in order. Its mark is the position up to which all records are stored in PostgreSQL. The mark is not
// written after every record, so some records are read again after a crash. The code that stores a record must therefore
// recognize by the record's id that the record is already stored. A Reader skips damaged data and continues at the next intact
// record.
//
// A spool is a directory that several processes can share. Each process holds a sub-directory with a file lock. When a process
// has ended, another process adopts its sub-directory. A sub-directory contains segments, the mark, and the file "rejected" for
// records that PostgreSQL refuses. A segment has 32 MiB, or less on a small volume, and ends after a day at the latest. When the
// disk is full, the current segment ends. Every segment on disk can then be stored in PostgreSQL and deleted. The records that
// wait in memory are written into the freed space. A busy process prepares its next segment in the file "next": see ahead.go.
package spool
