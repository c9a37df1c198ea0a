// Package copilot says what an account's figures call for: it judges them (rules in kinds.go, statistics in stats.go), and
// knows the changes that a suggestion, or a proposal of the chat, asks for. It is pure.
//
// # From a suggestion to a change and back
//
// A Suggestion has an Action, or is advice only. Whoever applies one reads the Record that Action.Targets names, under a
// lock, and calls
//
//	Judged(record) == suggestion.Digest  // else stale: what was judged is another by now
//	after, change, err := action.Apply(record)
//
// and stores the change beside the record. To take it back he reads the record again and calls change.Undo(record), which
// refuses, as stale, a record in which something else has changed what the action had changed.
//
// # Variants
//
// A suggestion to block a list of values (placements, say) can be applied in three ways; Action.Variant gives the action of
// one:
//
//	most     the values that lose the most, as few as make up four fifths of what all of them lose, in the campaign
//	all      every value of the list, in the campaign; this is what no variant means
//	network  every value of the list, in each campaign that buys from the same traffic source (the ad network)
//
// The entries are the account's own: visitors from there count as bots from then on. A bid or a block list at the ad network
// is not changed, as no connection of a source can do that; the suggestion lists the values for whoever does it by hand. An
// action without a list is the same in the variants most and all, and has no variant network.
package copilot
