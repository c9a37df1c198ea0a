// Package ledger keeps the sums that reports are made of: figures by account, hour and some dimensions of a click.
//
// Writers only ever add rows. A change of a counted fact adds a row with the old figures negated and a row with the new figures.
// It does so in its own transaction and while it holds the lock of the click's row. So the ledger and the click rows give the
// same figures at any moment. Compact merges rows of equal keys and adds them to the coarser copies (Rollups), from which most
// reports are answered.
package ledger
