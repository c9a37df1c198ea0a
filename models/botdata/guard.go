package botdata

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"go4.org/netipx"
	"golang.org/x/net/publicsuffix"

	"switchyard/models/bot"
	"switchyard/models/cond"
)

// guardError is the error for a well-formed entry, or a whole list, that would classify people as bots. List.Force accepts it
// anyway.
type guardError struct{ error }

func guarded(format string, args ...any) error { return &guardError{fmt.Errorf(format, args...)} }

// accepts reports whether an entry is accepted: without an error, or with a guardError that Force overrules.
func (l *List) accepts(at string, err error) bool {
	if err == nil {
		return true
	}
	if _, isGuard := errors.AsType[*guardError](err); !isGuard || !l.Force {
		return false
	}
	if len(l.Overruled) < maxReported {
		l.Overruled = append(l.Overruled, fmt.Errorf("%s: %w", at, err))
	}
	return true
}

// The prefix lengths of the widest networks that are accepted. Wider ones would classify a large part of all visitors as bots.
const (
	widest4 = 8
	widest6 = 16
)

// privateNetworks lists networks from which no visitor comes over the internet.
var privateNetworks = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7"),
	netip.MustParsePrefix("fe80::/10"),
}

func guardRange(entry string, r netipx.IPRange) error {
	for _, p := range r.Prefixes() {
		widest := widest6
		if p.Addr().Is4() {
			widest = widest4
		}
		if p.Bits() < widest {
			return guarded("%q is wider than /%d", short(entry), widest)
		}
	}
	for _, p := range privateNetworks {
		if r.Overlaps(netipx.RangeOfPrefix(p)) {
			return guarded("%q has private addresses, of %s: a visitor has a private address only if a proxy in front of this service hides the real one", short(entry), p)
		}
	}
	return nil
}

// peopleSites lists sites from which people come. Their subdomains count too.
var peopleSites = []string{
	"ask.com", "baidu.com", "bing.com", "brave.com", "coccoc.com", "daum.net", "duckduckgo.com", "ecosia.org", "google.com",
	"mojeek.com", "msn.com", "naver.com", "petalsearch.com", "qwant.com", "seznam.cz", "sogou.com", "startpage.com", "ya.ru",
	"chatgpt.com", "claude.ai", "perplexity.ai",
	"discord.com", "facebook.com", "fb.com", "fb.me", "instagram.com", "line.me", "linkedin.com", "lnkd.in", "medium.com",
	"messenger.com", "ok.ru", "pinterest.com", "quora.com", "reddit.com", "snapchat.com", "t.co", "t.me", "telegram.org",
	"threads.com", "threads.net", "tiktok.com", "tumblr.com", "twitch.tv", "twitter.com", "vk.com", "weibo.com",
	"whatsapp.com", "x.com", "youtu.be", "youtube.com",
	"amazon.com", "apple.com", "doubleclick.net", "ebay.com", "github.com", "live.com", "microsoft.com", "outbrain.com",
	"taboola.com", "wikipedia.org",
}

// worldSites are sites from which people come, and which have domains in many countries, such as google.de.
var worldSites = []string{"amazon", "ebay", "google", "pinterest", "yahoo", "yandex"}

func guardDomain(entry, host string) error {
	suffix, official := publicsuffix.PublicSuffix(host)
	if suffix == host && official {
		return guarded("%q is a public suffix: anyone can register a domain below it", short(entry))
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return nil //nolint:nilerr // not a domain that can be registered
	}
	name, _, _ := strings.Cut(site, ".")
	if slices.Contains(peopleSites, site) || slices.Contains(worldSites, name) {
		return guarded("%q is, or is below, %s: people come from there", short(entry), site)
	}
	return nil
}

func guardPattern(entry string, re *regexp.Regexp) error {
	for _, agent := range bot.Browsers() {
		if re.MatchString(agent) {
			return guarded("%q matches a browser that people use: %s", short(entry), agent)
		}
	}
	return nil
}

// guardList refuses a list whose networks together cover a larger share of all addresses than its kind allows.
func (l *List) guardList() error {
	maxShare := kinds[l.Kind].share
	if maxShare == 0 {
		return nil
	}
	ranges := make([]netipx.IPRange, len(l.Entries))
	for i, e := range l.Entries {
		ranges[i] = cond.ParseRange(e)
	}
	v4, v6 := cond.Shares(ranges)
	for name, share := range map[string]float64{"IPv4": v4, "IPv6": v6} {
		if share > maxShare {
			return guarded("the list covers %.1f %% of all %s addresses, and a list of kind %s may cover at most %.1f %%: it would classify people as bots",
				100*share, name, l.Kind, 100*maxShare)
		}
	}
	return nil
}
