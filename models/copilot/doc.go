// Package copilot judges an account's figures and suggests changes (rules in kinds.go, statistics in stats.go). It also applies
// and undoes the changes that a suggestion, or a proposal of the chat, contains. It does no input or output.
//
// # From a suggestion to a change and back
//
// A Suggestion either has an Action or is only advice. To apply an Action, the caller reads the Record that Action.Target names,
// under a lock, and calls
//
//	action.JudgedDigest(record) == suggestion.Digest // else stale: the judged data has changed
//	after, was, is, err := action.Apply(record)
//
// The caller then stores the record, and a Change with two parts of it: what was there before the action (was), and what is
// there after it (is). To undo the action, the caller reads the record again and calls action.Undo(record, was, is). Undo
// returns a stale error if anything that the action had changed was changed again.
//
// # Statistics
//
// Arms are paths that share the same visitors, or offers or landing pages in the same slot of a path. Visitors are distributed
// over them at random, by weight alone, so a difference between arms comes from the arms themselves. Approved and pending
// conversions count, with their payouts, on the day of their click. The figures are from the last 30 whole days of the account.
//
//   - The earnings per click of an arm have a gamma posterior. It compares the arm's conversions with the conversions of all
//     arms on the same days (indirect standardisation). It also uses the arm's payouts: the more they vary, the wider the
//     posterior.
//   - The probability of being the best is calculated by quadrature over these posteriors. Weights follow this probability
//     (Thompson, 1933), except for a hold-out of 10 % of the visitors. The hold-out is spread evenly, so that no weight becomes
//     zero.
//   - A mixture sequential probability ratio test (Robbins, 1970) decides whether an arm loses. It tests how each day's
//     conversions were divided between two arms. Its p value is valid however often a window is tested (Ville's inequality), so
//     judging again each day does not increase the error.
//   - Whether a placement, provider, device, country or hour pays for its clicks is tested against break-even in the same way,
//     with Poisson likelihoods. The last days are left out, because conversions of their clicks have not all been reported yet.
//     How many days are left out follows from the campaign's conversions of the last 60 days: it is the time from click to
//     conversion within which 95 % of them arrived. Until a campaign has 20 conversions and a converted click that is 14 days
//     old, the same time of the whole account is used, but at least three days. A time above 21 days counts as 21 days. Arms
//     are compared on all days, because conversions that are not reported yet are missing for all arms alike.
//   - Shares (of bots, of refused conversions) have beta posteriors with the Jeffreys prior.
//   - All p values of one refresh are judged together, by the procedure of Benjamini and Hochberg (1995). It limits the share
//     of suggestions that are expected to be due to chance: to 1 % of the suggestions that stop something, and to 5 % of the
//     other suggestions that are estimated.
//
// Nothing is suggested below the minimum samples, which are constants next to each kind. TestLimits in ops/lab/bench/market
// measures how often suggestions are right in simulated markets.
//
// Findings that are counted instead of estimated, such as a broken link, have the confidence 1.
//
// # Variants
//
// A suggestion to block a list of values, such as placements, can be applied in three ways. Action.Variant returns the action of
// a variant:
//
//	most     in the campaign: the values with the largest losses, just enough of them for four fifths of the total loss
//	all      in the campaign: every value of the list; this is the default
//	network  in each campaign that buys from the same traffic source (the ad network): every value of the list
//
// The operation deny adds entries to the account's own bot lists: visitors with the values count as bots from then on. The
// operation exclude sends visitors with the values to the default path. No connection can change a bid or a block list at the ad
// network, so the suggestion lists the values for a person to block there. Only values of sub-parameters can have the variant
// network, because they belong to the traffic source.
package copilot
