// Package copilot says what an account's figures call for: it judges them (rules in kinds.go, statistics in stats.go), and
// knows the changes that a suggestion, or a proposal of the chat, asks for. It is pure.
//
// # From a suggestion to a change and back
//
// A Suggestion has an Action, or is advice only. Whoever applies one reads the Record that Action.Target names, under a
// lock, and calls
//
//	Judged(record) == suggestion.Digest  // else stale: what was judged is another by now
//	after, was, is, err := action.Apply(record)
//
// and stores the two parts beside the record, in a Change. To take it back he reads the record again and calls
// action.Undo(record, was, is), which refuses, as stale, a record in which something else has changed what the action had
// changed.
//
// # Statistics
//
// Paths that take the same visitors, and offers or landing pages of a path that serve the same slot, are arms: visitors are
// drawn to them by weight and by nothing else, so a difference between them is their own. Conversions that are approved or
// pending count, at their payouts, on the day of their click, over the last 30 whole days of the account.
//
//   - What an arm earns a click has a gamma posterior, of its conversions held against those of all arms of the same days
//     (indirect standardisation) and of its payouts, whose spread widens it.
//   - The probability of being the best is found by quadrature over these posteriors. Weights follow it (Thompson, 1933), but
//     for a hold-out of 10 % of the visitors that is spread evenly, so that no weight goes to zero.
//   - That an arm loses is tested by a mixture sequential probability ratio test (Robbins, 1970) of how each day's conversions
//     fell upon two arms. Its p value holds at every look at a window (Ville's inequality), so judging anew each day costs nothing.
//   - That a placement, provider, device, country or hour does not pay for its clicks is tested against break-even in the same
//     way, by Poisson likelihoods.
//     Days are left out whose conversions are still to come: those within the time in which 95 % of the campaign's conversions of
//     the last 60 days came, counted from the click. Until a campaign has 20 of them and clicks of 14 days it is the account's time,
//     and three days at least. Arms are compared on all days, because there conversions to come are missing alike.
//   - Shares (of bots, of refused conversions) have beta posteriors with the prior of Jeffreys.
//   - All p values of one refresh are held against each other by the procedure of Benjamini and Hochberg (1995): of what it
//     suggests to move at most 5 % is expected to be chance, of what it suggests to stop 1 %.
//
// Nothing is suggested below the minimum samples, which stand as constants beside each kind. make bench PART=copilot shows how
// often suggestions are right in simulated markets.
//
// What is counted rather than estimated (a link that is broken, a parameter that is always empty) has the confidence 1.
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
