// Package ledger stores the sums from which reports are made: figures by account, hour and some dimensions of a click.
//
// Writers only add rows. A change of a counted fact adds rows that subtract the old figures and add the new ones, in the same
// transaction and under the lock of the click's row. The ledger and the click rows therefore give the same figures at any moment.
// Compact merges rows of equal keys and adds them to the coarser copies (Rollups), from which most reports are answered.
package ledger
