// Package postback reads what networks and shops send about a conversion: parameters, statuses, amounts and times.
// Postbacks, corrections and network syncs use it, so that they all read a text in the same way. It is pure, so that a
// replayed postback is read as before.
package postback
