// Package copilot judges an account's figures and suggests changes (rules in kinds.go, statistics in stats.go). It also applies and
// undoes the changes that a suggestion, or a proposal of the chat, asks for. It does no input or output.
//
// # From a suggestion to a change and back
//
// A Suggestion either has an Action or is only advice. To apply one, the caller reads the Record that Action.Target names, under a
// lock, and calls
//
//	action.JudgedDigest(record) == suggestion.Digest // else stale: the judged data has changed
//	after, was, is, err := action.Apply(record)
//
// and stores the two parts with the record, in a Change. To undo it, the caller reads the record again and calls
// action.Undo(record, was, is). Undo returns a stale error if anything that the action had changed was changed again.
//
// # Statistics
//
// Paths that take the same visitors, and offers or landing pages of a path that serve the same slot, are arms. Visitors are
// drawn to arms by weight alone, so a difference between arms comes from the arms themselves. Approved and pending conversions
// count, at their payouts, on the day of their click, over the last 30 whole days of the account.
//
//   - The earnings a click of an arm have a gamma posterior. It compares the arm's conversions with the conversions of all arms
//     on the same days (indirect standardisation), and it uses the arm's payouts, whose spread widens it.
//   - The probability of being the best is computed by quadrature over these posteriors. Weights follow it (Thompson, 1933), except
//     for a hold-out of 10 % of the visitors, which is spread evenly, so that no weight goes to zero.
//   - A mixture sequential probability ratio test (Robbins, 1970) decides whether an arm loses. It tests how each day's
//     conversions were divided between two arms. Its p value is valid at every look at a window (Ville's inequality), so judging
//     again each day costs nothing.
//   - Whether a placement, provider, device, country or hour pays for its clicks is tested against break-even in the same way, by
//     Poisson likelihoods.
//     Days whose conversions are still to come are left out. These are the days within the time in which 95 % of the campaign's
//     conversions of the last 60 days came, counted from the click. Until a campaign has 20 conversions and clicks of 14 days, the
//     account's time is used, and three days at least. Arms are compared on all days, because missing conversions affect all arms
//     alike.
//   - Shares (of bots, of refused conversions) have beta posteriors with the prior of Jeffreys.
//   - All p values of one refresh are compared by the procedure of Benjamini and Hochberg (1995): at most 5 % of the suggested
//     moves are expected to be chance, and 1 % of the suggested stops.
//
// Nothing is suggested below the minimum samples, which are constants next to each kind. make bench PART=copilot shows how
// often suggestions are right in simulated markets.
//
// Some findings are counted rather than estimated: a broken link, a parameter that is always empty. Their confidence is 1.
//
// # Variants
//
// A suggestion to block a list of values, such as placements, can be applied in three ways. Action.Variant returns the action
// of a variant:
//
//	most     the values that lose the most, just enough to make up four fifths of the total loss, in the campaign
//	all      every value of the list, in the campaign; this is the default
//	network  every value of the list, in each campaign that buys from the same traffic source (the ad network)
//
// The entries are the account's own: visitors with such values count as bots from then on. A bid or a block list at the ad
// network is not changed, because no connection of a source can do that. The suggestion lists the values, so that a person can
// block them there. An action without a list is the same in the variants "most" and "all", and has no variant "network".
package copilot
