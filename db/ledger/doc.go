// Package ledger keeps the sums that reports are made of: figures by account, hour and some dimensions of a click.
//
// Rows are only ever added. Whatever changes a counted fact adds the old figures with minus and the new ones with
// plus, in the transaction of the change and under the lock of the click's row. So ledger and rows give the same
// figures at any moment. Compact merges rows of equal keys and adds them to the coarser copies (Rollups), from which
// most reports are answered.
package ledger
