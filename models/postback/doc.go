// Package postback reads the messages of networks and shops about conversions: parameters, statuses, amounts and times.
// Postbacks, corrections and network syncs use it, so that they all read a text in the same way. It does no input or output, so
// a replayed postback is read in the same way as before.
package postback
