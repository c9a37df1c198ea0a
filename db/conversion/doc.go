// Package conversion stores conversions, the click-outs before them, and the postbacks that report them.
//
// Record and Correct are the only functions that record conversions. Reader interprets a received postback. It determines the click
// that the postback names, whether its sender is believed, and the conversion that it reports. It stores nothing, so that a test
// postback is read in exactly the same way as a received one.
//
// The package imports click. Spend, bot scans, ingesters and retention import it.
package conversion
