// Package postback reads what networks and shops send about a conversion: parameters, statuses, amounts and times. It
// is pure, so that postbacks, corrections and network syncs read the same text in the same way, also when they are
// replayed.
package postback
