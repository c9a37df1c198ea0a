// Package click answers everything that visitors, networks and shops send to a tracking domain: tracking links,
// click-outs of landers, postbacks and the pixel.
//
// The redirect depends on nothing. It routes by a snapshot of all live campaigns in memory, which Run keeps fresh
// from PostgreSQL's change notices, and which is loaded from a copy on disk when PostgreSQL is away at the start. A
// click is on stable storage before its visitor is answered; if the spool fails the visitor is still sent on, and
// the click is counted as unrecorded. Visitors are never told what failed.
package click
