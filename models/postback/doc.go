// Package postback reads the messages of networks and shops about conversions: parameters, statuses, amounts and times. It does
// no input or output, so a replayed postback is read in the same way as before.
package postback
