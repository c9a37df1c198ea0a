// Package conversion stores conversions, the click-outs before them, and the postbacks that report them.
//
// Record and Correct are the only functions that record conversions. Reader interprets a received postback: the click that it
// names, whether its sender is trusted, and the conversion that it reports. Reader stores nothing, so a test postback is read in
// the same way.
package conversion
