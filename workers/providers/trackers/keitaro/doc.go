// Package keitaro reads the settings of a Keitaro tracker, versions 9 to 11: from its Admin API (Read), or from a dump of its database
// (ReadDump), which is the only way on its cheap editions. Both give the same records with the same keys.
//
// A stream becomes a path. A stream that loses a filter becomes a paused path, because it would take
// more visitors than before. A record with an amount in an unknown currency, or with a macro in its address that is no token here, is refused. Records that
// need it are paused.
package keitaro
