package copilot

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
	kindToken       = "empty_token"
	kindGap         = "tracking_gap"
	kindDuplicate   = "duplicate_campaign"
	kindDomain      = "expiring_domain"
)

// Kinds lists the names of all kinds.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// kinds is the table of what is looked for. Each finds only in what has its minimum sample: see the constants beside it.
var kinds []kind

func init() { // the functions name kinds
	values := func(kind string) func(*Input) []finding {
		return func(in *Input) []finding { return findValues(in, kind) }
	}
	kinds = []kind{
		{kindPause, levelPause, func(in *Input) []finding { return findArms(in, true) }},
		{kindMove, levelMove, func(in *Input) []finding { return findArms(in, false) }},
		{kindRaiseCap, 0, findReachedCaps},
		{kindLowerCap, levelMove, findRefusedCaps},
		{kindBlockValue, levelPause, values(kindBlockValue)},
		{kindBlockISP, levelPause, values(kindBlockISP)},
		{kindBlockDevice, levelPause, values(kindBlockDevice)},
		{kindNoReturn, levelPause, values(kindNoReturn)},
		{kindBots, levelMove, findBotSources},
		{kindLink, 0, findBadLinks},
		{kindPostbacks, 0, findUnmatched},
		{kindToken, 0, findEmptyTokens},
		{kindGap, 0, findGaps},
		{kindDuplicate, 0, findDuplicates},
		{kindDomain, 0, findExpiring},
	}
}
