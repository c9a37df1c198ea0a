// Package bot scores clicks by their signals. The caller detects the signals.
//
// A click stores its signals as a bitmask, so that it can be scored again with other settings.
package bot

import (
	"iter"
	"math/bits"
	"slices"
)

// Signals is a set of signals, one bit each. Bits never change, because they are stored with every click.
type Signals uint64

// The signals. Allowed is not a signal: it means that an allow entry matched.
const (
	DenyList Signals = 1 << iota
	DeclaredBot
	LinkPreview
	AICrawler
	HTTPLibrary
	EmptyUserAgent
	Headless
	HeadRequest
	Prefetch
	FakeCrawler
	Honeypot
	TorExit
	Datacenter
	VPNOrProxy
	SpamIP
	BadReferrer
	UAMismatch
	NoAcceptLanguage
	FewHeaders
	FastClick
	ClickFlood
	CampaignFlood
	RepeatClick
	GeoTZMismatch
	NoJS
	ForgedBrowser

	Allowed Signals = 1 << 62
)

// Signal is a row of the table of signals.
type Signal struct {
	Bit        Signals
	Reason     string // the signal's name, and the bot_reason of clicks
	Weight     int    // the weight that the signal adds to the score
	CanDisable bool
	Meaning    string
	When       When
	Found      string // how the signal is found
}

// When is the moment at which a signal is found.
type When string

// The moments at which signals are found. A signal that is found later changes the click's score.
const (
	AtClick  When = "at the click"
	Later    When = "seconds later"
	LookedUp When = "after a look-up"
)

// table lists the signals in the order of their bits.
var table = [...]Signal{
	{DenyList, "deny_list", 100, false, "a deny entry matched", AtClick, "an entry of the account's lists"},
	{DeclaredBot, "declared_bot", 100, false, "the user agent calls itself a bot", AtClick, "the user agent"},
	{LinkPreview, "link_preview", 100, true, "a messenger or social network fetched a preview", AtClick, "the user agent"},
	{AICrawler, "ai_crawler", 100, true, "a crawler of an AI service", AtClick, "the user agent"},
	{HTTPLibrary, "http_library", 90, true, "a programming library, not a browser", AtClick, "the user agent"},
	{EmptyUserAgent, "empty_user_agent", 90, true, "no user agent was sent", AtClick, "the user agent"},
	{
		Headless, "headless", 80, true, "a browser under remote control", AtClick,
		"the user agent and the browser names in the client hints; seconds later, what the browser reports to the page tag",
	},
	{HeadRequest, "head_request", 80, true, "the request asked only for headers", AtClick, "the method of the request"},
	{
		Prefetch, "prefetch", 80, true, "a browser loaded the link ahead of a click", AtClick,
		"the headers Sec-Purpose, Purpose, X-Purpose and X-Moz",
	},
	{
		FakeCrawler, "fake_crawler", 80, true, "claims to be a search engine's crawler and is not", LookedUp,
		"the host name of the address, and the addresses of that host name",
	},
	{
		Honeypot, "honeypot", 100, true, "followed a link that nobody can see", Later,
		"the page tag's hidden link /t/h/{click id} was followed",
	},
	{TorExit, "tor_exit", 60, true, "came through Tor", AtClick, "data on the address"},
	{Datacenter, "datacenter", 45, true, "the address belongs to a hosting network", AtClick, "data on the address"},
	{VPNOrProxy, "vpn_or_proxy", 30, true, "the address belongs to a VPN or proxy", AtClick, "data on the address"},
	{SpamIP, "spam_ip", 50, true, "the address is on a list of abusers", AtClick, "a list that the operator has loaded"},
	{
		BadReferrer, "bad_referrer", 40, true, "the referrer is known for spam", AtClick,
		"a list that the operator has loaded",
	},
	{
		UAMismatch, "ua_mismatch", 40, true, "the user agent contradicts itself or the other headers", AtClick,
		"the user agent, the client hints, and the headers that recent browsers send when a link is followed",
	},
	{
		NoAcceptLanguage, "no_accept_language", 25, true, "the request names no language", AtClick,
		"the header Accept-Language; * does not count as a language",
	},
	{
		FewHeaders, "few_headers", 25, true, "fewer headers than a browser sends", AtClick,
		"the headers of the request and, over https, the Fetch Metadata headers of recent browsers",
	},
	{
		FastClick, "fast_click", 50, true, "left the landing page within 0.8 seconds", Later,
		"the times of the click and of its first click-out",
	},
	{
		ClickFlood, "click_flood", 50, true, "over 60 clicks a minute from one address", Later,
		"the account's clicks in the minute that ends with this click; a /64 of IPv6 counts as one address",
	},
	{
		CampaignFlood, "campaign_flood", 40, true, "over 60 clicks a minute from one address on one campaign", Later,
		"the campaign's clicks in the minute that ends with this click; a /64 of IPv6 counts as one address. It does not count in addition to click_flood",
	},
	{
		RepeatClick, "repeat_click", 20, true, "the same visitor clicked again and again in a day", Later,
		"over 20 repeated clicks of one address and user agent on one campaign in 24 hours",
	},
	{
		GeoTZMismatch, "geo_tz_mismatch", 20, true, "the browser's time zone does not fit the address", Later,
		"the time zone that the page tag reports, and the time zones of the country",
	},
	{
		NoJS, "no_js", 25, true, "the page tag never reported", Later,
		"no event within 30 seconds after the click, although the landing page's tag has reported 5 other clicks in 24 hours",
	},
	{
		ForgedBrowser, "forged_browser", 60, true, "two properties contradict the browser that the visitor claims to use", AtClick,
		"two facts from the user agent, the client hints, Accept, Accept-Encoding and Accept-Language that no browser of this name combines",
	},
}

// Unrecorded holds the signals of requests that are answered but not recorded.
const Unrecorded = HeadRequest | Prefetch

// floods are two signals of the same clicks. Only the heavier one counts. Otherwise, many people behind one address could count as
// bots.
const floods = ClickFlood | CampaignFlood

// Network holds the signals that FromProxyKind returns.
const Network = Datacenter | TorExit | VPNOrProxy

// FromProxyKind returns the signal for an address with a known proxy_kind. A privacy relay has no signal.
func FromProxyKind(kind string) Signals {
	switch kind {
	case "datacenter":
		return Datacenter
	case "tor":
		return TorExit
	case "vpn", "proxy":
		return VPNOrProxy
	}
	return 0
}

// All returns the signals in the order of their bits.
func All() iter.Seq[Signal] { return slices.Values(table[:]) }

// ByReason finds a signal by its name.
func ByReason(reason string) (Signal, bool) {
	i := slices.IndexFunc(table[:], func(s Signal) bool { return s.Reason == reason })
	if i < 0 {
		return Signal{}, false
	}
	return table[i], true
}

// Reasons returns the names of the signals in the set, the heaviest first.
func (s Signals) Reasons() []string {
	var found []Signal
	for _, row := range table {
		if s&row.Bit != 0 {
			found = append(found, row)
		}
	}
	slices.SortStableFunc(found, func(a, b Signal) int { return b.Weight - a.Weight })
	out := make([]string, len(found))
	for i, row := range found {
		out[i] = row.Reason
	}
	return out
}

// The limits of the threshold that an account may set, the default threshold, and the highest score.
const (
	MinThreshold     = 20
	MaxThreshold     = 95
	DefaultThreshold = 60
	MaxScore         = 100
)

// Settings decide how an account's clicks are scored. The zero value is the default.
type Settings struct {
	Threshold int     // 0: DefaultThreshold; other values are limited to the range from MinThreshold to MaxThreshold
	Disabled  Signals // signals that do not count
}

// NewSettings returns settings with a threshold, in which the signals with the given names are disabled. It ignores unknown
// names, and signals that cannot be disabled.
func NewSettings(threshold int, disabled []string) Settings {
	s := Settings{Threshold: threshold}
	for _, name := range disabled {
		if row, ok := ByReason(name); ok && row.CanDisable {
			s.Disabled |= row.Bit
		}
	}
	return s
}

// Limit returns the lowest score with which a click counts as a bot.
func (s Settings) Limit() int {
	if s.Threshold == 0 {
		return DefaultThreshold
	}
	return min(max(s.Threshold, MinThreshold), MaxThreshold)
}

// Score returns the sum of the weights of the enabled signals, at most 100. Of both floods, only the heavier one counts. With
// Allowed, the score is 0. reason is the heaviest signal that counted, or empty. Score does not allocate.
func Score(fired Signals, settings Settings) (score int, isBot bool, reason string) {
	if fired&Allowed != 0 {
		return 0, false, ""
	}
	if fired&floods == floods && settings.Disabled&floods == 0 {
		fired &^= CampaignFlood
	}
	heaviest := 0
	for left := fired; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(uint64(left))
		if i >= len(table) {
			break
		}
		row := &table[i]
		if row.CanDisable && settings.Disabled&row.Bit != 0 {
			continue
		}
		score += row.Weight
		if row.Weight > heaviest {
			heaviest, reason = row.Weight, row.Reason
		}
	}
	score = min(score, MaxScore)
	return score, score >= settings.Limit(), reason
}
