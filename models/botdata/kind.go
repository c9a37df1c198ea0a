// Package botdata is lists of networks, domains and user agents that an operator has loaded: data centres, Tor exits,
// VPNs, proxies, abusers' addresses, spam referrers and crawlers. The networks of large clouds are built in, until a list of
// data centres is loaded.
//
// Read takes files apart, Pack and Unpack keep a list small, and a Set is asked about visitors. Asking allocates nothing.
package botdata

import (
	"path"
	"slices"
	"strings"
	"time"

	"switchyard/models/bot"
)

// Kind is what the entries of a list are.
type Kind int

// The kinds of lists. Lists of addresses come first.
const (
	Tor Kind = iota
	VPN
	Proxy
	Datacenter
	SpamIP
	BadReferrer
	Crawler
	kindCount
)

// Limits of the data that is loaded.
const (
	MaxNetworks = 500_000  // of a kind
	MaxDomains  = 200_000  // spam referrers
	MaxPatterns = 2000     // of crawlers
	MaxFile     = 64 << 20 // bytes
	maxLine     = 1000     // bytes
)

// How much of all addresses a list of networks has at most. The large clouds have some 5 % of IPv4 together.
const (
	few  = 1. / 32
	many = 1. / 8
)

// kinds is the table of the kinds. A new kind is a row here and a question in Set.
var kinds = [kindCount]struct {
	name    string // as --kind and the database have it
	meaning string
	limit   int
	clean   func(entry string) (string, error)
	fires   bot.Signals
	share   float64  // largest share of all addresses that a list may cover; 0: not limited
	files   []string // how the names of its files begin
}{
	Tor:         {"tor", "exits of Tor: proxy_kind tor, signal tor_exit", MaxNetworks, cleanNetwork, bot.TorExit, few, []string{"tor"}},
	VPN:         {"vpn", "networks of VPN providers: proxy_kind vpn, signal vpn_or_proxy", MaxNetworks, cleanNetwork, bot.VPNOrProxy, few, []string{"vpn"}},
	Proxy:       {"proxy", "open proxies: proxy_kind proxy, signal vpn_or_proxy", MaxNetworks, cleanNetwork, bot.VPNOrProxy, few, []string{"proxy", "proxies"}},
	Datacenter:  {"datacenter", "networks of hosting companies: proxy_kind datacenter, signal datacenter", MaxNetworks, cleanNetwork, bot.Datacenter, many, []string{"datacenter", "ip-ranges", "cloud", "public_ip_ranges", "servicetags"}},
	SpamIP:      {"spam_ip", "addresses of abusers: signal spam_ip", MaxNetworks, cleanNetwork, bot.SpamIP, few, []string{"spam_ip", "spam-ip"}},
	BadReferrer: {"bad_referrer", "domains of spam referrers: signal bad_referrer", MaxDomains, cleanDomain, bot.BadReferrer, 0, []string{"bad_referrer", "bad-referrer", "spam-referrer", "spam_referrer"}},
	Crawler:     {"crawler", "user agents of crawlers, RE2: signal declared_bot", MaxPatterns, cleanPattern, bot.DeclaredBot, 0, []string{"crawler"}},
}

// String names the kind.
func (k Kind) String() string { return kinds[k].name }

// Meaning says what a list of the kind does.
func (k Kind) Meaning() string { return kinds[k].meaning }

// Fires are the signals that a list of the kind fires.
func (k Kind) Fires() bot.Signals { return kinds[k].fires }

// Names lists the names of the kinds.
func Names() []string {
	list := make([]string, kindCount)
	for i := range list {
		list[i] = kinds[i].name
	}
	return list
}

// Named finds a kind by its name.
func Named(name string) (Kind, bool) {
	i := slices.Index(Names(), name)
	return Kind(i), i >= 0
}

// KindOfFile tells the kind by the name of a file: tor-exits.txt, ip-ranges.json.
func KindOfFile(name string) (Kind, bool) {
	name = strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	for k, row := range kinds {
		for _, begin := range row.files {
			if strings.HasPrefix(name, begin) {
				return Kind(k), true
			}
		}
	}
	return 0, false
}

// BuiltIn is a list that comes with the build, of a module.
type BuiltIn struct {
	Kind    Kind
	Module  string
	Version string
	Dated   time.Time // of the version
}

// BuiltIns are the lists that come with the build.
var BuiltIns = []BuiltIn{
	{Crawler, "github.com/x-way/crawlerdetect", "v0.2.31", time.Date(2026, 6, 13, 0, 0, 0, 0, time.UTC)},
	// The networks of Amazon, Google and Oracle, in clouds.bin: the module itself would bring a DNS client along.
	{Datacenter, "github.com/projectdiscovery/cdncheck", "v1.1.24", time.Date(2025, 6, 22, 0, 0, 0, 0, time.UTC)},
}
