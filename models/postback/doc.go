// Package postback understands what networks and shops send about a conversion: which parameter means what, which
// word is which status, what an amount is worth. It is pure, so that postbacks, corrections and network syncs read
// the same text in the same way, today and when they are replayed.
package postback
