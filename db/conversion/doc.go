// Package conversion stores conversions, the click-outs before them, and the postbacks that report them.
//
// Record and Correct are the only functions that record conversions. Reader interprets a received postback. It determines the
// click that the postback names, whether the sender is trusted, and the conversion that the postback reports. Reader stores
// nothing, so that a test postback is read in exactly the same way as a received one.
//
// The package imports click. Packages such as spend, botscan, ingest and retention import this package.
package conversion
