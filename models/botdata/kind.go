// Package botdata holds lists that an operator has loaded: networks of data centres, Tor, VPNs, proxies and abusers, domains of
// spam referrers, and user agents of crawlers. A list of crawlers is built in. The networks of large clouds are built in too, and
// apply until the operator loads a list of data centres.
//
// Read parses files. Pack and Unpack convert entries to and from the form in which they are stored. A Set looks up visitors, without
// allocating memory.
package botdata

import (
	"path"
	"slices"
	"strings"
	"time"

	"switchyard/models/bot"
)

// Kind is the kind of the entries of a list.
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

// Limits of the data that an operator loads.
const (
	MaxNetworks = 500_000
	MaxDomains  = 200_000
	MaxPatterns = 2000
	MaxFile     = 64 << 20 // in bytes
	maxLine     = 1000     // in bytes
)

// The largest shares of all addresses that a list of networks may cover. All large clouds together have about 5 % of IPv4.
const (
	fewAddresses  = 1. / 32
	manyAddresses = 1. / 8
)

// kinds is the table of the kinds. To add a kind, add a row here and a look-up in Set.
var kinds = [kindCount]struct {
	name    string // the name in --kind and in the database
	meaning string
	limit   int
	clean   func(entry string) (string, error)
	fires   bot.Signals
	share   float64  // largest share of all addresses that a list may cover; 0: not limited
	files   []string // prefixes of the names of files that hold the kind
}{
	Tor:         {"tor", "exits of Tor: proxy_kind tor, signal tor_exit", MaxNetworks, cleanNetwork, bot.TorExit, fewAddresses, []string{"tor"}},
	VPN:         {"vpn", "networks of VPN providers: proxy_kind vpn, signal vpn_or_proxy", MaxNetworks, cleanNetwork, bot.VPNOrProxy, fewAddresses, []string{"vpn"}},
	Proxy:       {"proxy", "open proxies: proxy_kind proxy, signal vpn_or_proxy", MaxNetworks, cleanNetwork, bot.VPNOrProxy, fewAddresses, []string{"proxy", "proxies"}},
	Datacenter:  {"datacenter", "networks of hosting companies: proxy_kind datacenter, signal datacenter", MaxNetworks, cleanNetwork, bot.Datacenter, manyAddresses, []string{"datacenter", "ip-ranges", "cloud", "public_ip_ranges", "servicetags"}},
	SpamIP:      {"spam_ip", "addresses of abusers: signal spam_ip", MaxNetworks, cleanNetwork, bot.SpamIP, fewAddresses, []string{"spam_ip", "spam-ip"}},
	BadReferrer: {"bad_referrer", "domains of spam referrers: signal bad_referrer", MaxDomains, cleanDomain, bot.BadReferrer, 0, []string{"bad_referrer", "bad-referrer", "spam-referrer", "spam_referrer"}},
	Crawler:     {"crawler", "user agents of crawlers, RE2: signal declared_bot", MaxPatterns, cleanPattern, bot.DeclaredBot, 0, []string{"crawler"}},
}

// String returns the name of the kind.
func (k Kind) String() string { return kinds[k].name }

// Meaning describes the kind and its effect.
func (k Kind) Meaning() string { return kinds[k].meaning }

// Fires returns the signals of visitors in a list of the kind.
func (k Kind) Fires() bot.Signals { return kinds[k].fires }

// Names returns the names of the kinds.
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

// KindOfFile returns the kind of list in a file with a name such as tor-exits.txt or ip-ranges.json.
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

// BuiltIn is a list that is part of the build, from a Go module.
type BuiltIn struct {
	Kind    Kind
	Module  string
	Version string
	Dated   time.Time // date of the version
}

// BuiltIns lists the built-in lists.
var BuiltIns = []BuiltIn{
	{Crawler, "github.com/x-way/crawlerdetect", "v0.2.31", time.Date(2026, 6, 13, 0, 0, 0, 0, time.UTC)},
	// The networks of Amazon, Google and Oracle, which clouds.bin contains. They are copied, because the module would add a DNS
	// client to the build.
	{Datacenter, "github.com/projectdiscovery/cdncheck", "v1.1.24", time.Date(2025, 6, 22, 0, 0, 0, 0, time.UTC)},
}
