// Package keitaro reads the settings of a Keitaro tracker, versions 9 to 11: from its Admin API (Read), or from a dump of its
// database (ReadDump), which is the only way on its cheap editions. Both give the same records with the same keys.
//
// A stream becomes a path. If a filter of the stream has no counterpart here, the path is paused, because without the filter it would take
// more visitors than before.
// A record with an amount in an unknown currency is refused, and so is a record whose address has a macro for which there is no
// token. Records that need a refused record are paused.
package keitaro
