package copilot

import "fmt"

// The kinds of suggestion.
const (
	kindPause       = "pause_loser"
	kindMove        = "move_weight"
	kindRaiseCap    = "raise_cap"
	kindLowerCap    = "lower_cap"
	kindBlockValue  = "block_value"
	kindBlockISP    = "block_isp"
	kindBlockDevice = "block_device"
	kindNoReturn    = "no_return"
	kindBots        = "bot_source"
	kindLink        = "bad_link"
	kindPostbacks   = "unmatched_postbacks"
	KindToken       = "empty_token"
	kindGap         = "tracking_gap"
	kindDuplicate   = "duplicate_campaign"
	kindDomain      = "expiring_domain"
)

// The names of the figures that are read for an account. Figures of an attribute's values have the name of the attribute: see
// Attributes.
const (
	Caps      = "caps"      // figures of offers with a cap
	Campaigns = "campaigns" // which campaigns have clicks
	Arms      = "arms"      // figures of campaigns by path, landing page and offer
	Sources   = "sources"   // figures of traffic sources
)

// KindsBy returns the kinds of suggestion that cannot be found without some data. The parameter names the data: Caps, Campaigns,
// Arms, Sources, one of Attributes, or KindToken for the clicks without the value of a token.
func KindsBy(what string) []string {
	blocks := []string{kindBlockValue, kindBlockISP, kindBlockDevice, kindNoReturn}
	switch what {
	case Caps:
		return []string{kindRaiseCap, kindLowerCap}
	case Sources:
		return []string{kindBots, KindToken}
	case KindToken:
		return []string{KindToken}
	case Arms:
		return append(blocks, kindPause, kindMove, kindGap)
	case Campaigns:
		return append(KindsBy(Arms), kindLink, kindDuplicate, kindDomain)
	}
	for _, a := range attributes {
		if a.name == what {
			return []string{a.kind}
		}
	}
	return nil
}

var kinds []kind

func init() { // set in init, because the functions refer to kinds
	values := func(kind string) func(*Input) []finding {
		return func(in *Input) []finding { return findValues(in, kind) }
	}
	arms := fmt.Sprintf("%d clicks of each, %d conversions of all together, on %d days", minArmClicks, minArmsConverted, minArmDays)
	value := fmt.Sprintf("%d clicks that cost as much as %d conversions are worth", minValueClicks, minValueDue)
	kinds = []kind{
		{kindPause, arms, levelPause, func(in *Input) []finding { return findArms(in, true) }},
		{kindMove, arms, levelMove, func(in *Input) []finding { return findArms(in, false) }},
		{kindRaiseCap, fmt.Sprintf("%d of %d days at the cap", capReached, capDays), 0, findReachedCaps},
		{kindLowerCap, fmt.Sprintf("%d decided conversions, %d days with refused ones", minRefused, capReached), levelMove, findRefusedCaps},
		{kindBlockValue, value, levelPause, values(kindBlockValue)},
		{kindBlockISP, value, levelPause, values(kindBlockISP)},
		{kindBlockDevice, value, levelPause, values(kindBlockDevice)},
		{kindNoReturn, value, levelPause, values(kindNoReturn)},
		{kindBots, fmt.Sprintf("%d clicks, bots included", minSourceHits), levelMove, findBotSources},
		{kindLink, "a destination with a weight", 0, findBadLinks},
		{kindPostbacks, fmt.Sprintf("%d postbacks without a click in a week", minUnmatched), 0, findUnmatched},
		{KindToken, fmt.Sprintf("%d clicks", minTokenClicks), 0, findEmptyTokens},
		{kindGap, fmt.Sprintf("%d visitors of the page", minLanderViews), 0, findGaps},
		{kindDuplicate, "two active campaigns", 0, findDuplicates},
		{kindDomain, "a campaign on the domain", 0, findExpiring},
	}
}
