package bot

import "strings"

// Crawler is a well-known crawler.
type Crawler struct {
	Name string
	// Mark is the text that the crawler's user agent contains, in lower case.
	Mark string
	// Hosts are the documented domains of the host names of the crawler's IP addresses. Such a host name must lead back to the
	// IP address. If Hosts is empty, a forged crawler cannot be recognized. If a domain is missing, genuine crawlers with host
	// names below it count as forged.
	Hosts []string
}

// Domains of Google's crawlers and fetchers. A fetcher requests a page because a user asked for it.
var (
	googleHosts    = []string{"googlebot.com", "google.com"}
	googleFetchers = []string{"google.com", "gae.googleusercontent.com"}
)

// crawlers is the table of well-known crawlers. If a user agent contains the marks of several crawlers, the first
// crawler in the table counts.
var crawlers = [...]Crawler{
	{"AdsBot-Google", "adsbot-google", googleHosts},
	{"Mediapartners-Google", "mediapartners-google", googleHosts},
	{"Storebot-Google", "storebot-google", googleHosts},
	{"Google-InspectionTool", "google-inspectiontool", googleHosts},
	{"GoogleOther", "googleother", googleHosts},
	{"APIs-Google", "apis-google", googleHosts},
	{"FeedFetcher-Google", "feedfetcher-google", googleFetchers},
	{"Google-Read-Aloud", "google-read-aloud", googleFetchers},
	{"Google-Site-Verification", "google-site-verification", googleFetchers},
	{"Googlebot", "googlebot", googleHosts},
	{"AdIdxBot", "adidxbot", []string{"search.msn.com"}},
	{"Bingbot", "bingbot", []string{"search.msn.com"}},
	{"msnbot", "msnbot", []string{"search.msn.com"}},
	{"YandexBot", "yandex.com/bots", []string{"yandex.ru", "yandex.net", "yandex.com"}},
	{"Baiduspider", "baiduspider", []string{"baidu.com", "baidu.jp"}},
	{"Applebot", "applebot", []string{"applebot.apple.com"}},
	{"Yahoo Slurp", "yahoo! slurp", []string{"crawl.yahoo.net"}},
	{"PetalBot", "petalbot", []string{"petalsearch.com", "aspiegel.com"}},
	{"SeznamBot", "seznambot", []string{"seznam.cz"}},
	{"Amazonbot", "amazonbot", []string{"crawl.amazonbot.amazon"}},
	{"Pinterestbot", "pinterestbot", []string{"pinterest.com", "pinterestcrawler.com"}},

	{"AhrefsBot", "ahrefsbot", nil}, // there are host names below ahrefs.net, but some have no address
	{"SemrushBot", "semrushbot", nil},
	{"DuckDuckBot", "duckduckbot", nil},
	{"Qwantbot", "qwantbot", nil},
	{"Sogou", "sogou web spider", nil},
	{"Yeti", "yeti/", nil},
	{"CCBot", "ccbot/", nil},
	{"GPTBot", "gptbot", nil},
	{"OAI-SearchBot", "oai-searchbot", nil},
	{"ChatGPT-User", "chatgpt-user", nil},
	{"ClaudeBot", "claudebot", nil},
	{"PerplexityBot", "perplexitybot", nil},
	{"Bytespider", "bytespider", nil},
	{"Meta-ExternalAgent", "meta-externalagent", nil},
	{"facebookexternalhit", "facebookexternalhit", nil},
	{"Twitterbot", "twitterbot", nil},
	{"LinkedInBot", "linkedinbot", nil},
}

// CrawlerOf returns the crawler that a user agent claims to be.
func CrawlerOf(userAgent string) (Crawler, bool) {
	userAgent = strings.ToLower(userAgent)
	for _, c := range crawlers {
		if strings.Contains(userAgent, c.Mark) {
			return c, true
		}
	}
	return Crawler{}, false
}

// CrawlerNamed finds a crawler by its name.
func CrawlerNamed(name string) (Crawler, bool) {
	for _, c := range crawlers {
		if c.Name == name {
			return c, true
		}
	}
	return Crawler{}, false
}

// Owns reports whether the host name of an IP address belongs to the crawler. The name may end with a dot.
func (c Crawler) Owns(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	for _, h := range c.Hosts {
		if sub, ok := strings.CutSuffix(host, h); ok && (sub == "" || strings.HasSuffix(sub, ".")) {
			return true
		}
	}
	return false
}
