package bot_test

import (
	"testing"

	"switchyard/models/bot"
)

func TestCrawlers(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                                                     "Googlebot",
		"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) Chrome/126 Mobile (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)": "AdsBot-Google",
		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)":                                                                      "Bingbot",
		"Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)":                                                                             "YandexBot",
		"Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)":                                                          "Baiduspider",
		"DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)":                                                                                   "DuckDuckBot",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36":                              "",
		"curl/8.5.0": "",
		"":           "",
	} {
		c, ok := bot.CrawlerOf(agent)
		if c.Name != want || ok != (want != "") {
			t.Errorf("the user agent %q counts as the crawler %q, want %q", agent, c.Name, want)
		}
		if found, ok := bot.CrawlerNamed(c.Name); want != "" && (!ok || found.Mark != c.Mark) {
			t.Errorf("%s is not found by its name", want)
		}
	}
	google, _ := bot.CrawlerNamed("Googlebot")
	for host, want := range map[string]bool{
		"crawl-66-249-66-1.googlebot.com.": true, "Geo-Crawl-1.geo.GoogleBot.com": true, "googlebot.com": true,
		"rate-limited-proxy-1.google.com.": true, "evilgooglebot.com": false, "googlebot.com.evil.example": false, "": false,
		"1.2.3.4.bc.googleusercontent.com": false,
	} {
		if google.Owns(host) != want {
			t.Errorf("Googlebot owns the host name %q: %v, want %v", host, !want, want)
		}
	}
	if petal, _ := bot.CrawlerNamed("PetalBot"); !petal.Owns("petalbot-114-119-144-17.petalsearch.com.") || !petal.Owns("petalbot-1.aspiegel.com") {
		t.Error("PetalBot does not own both of its domains")
	}
	for name, host := range map[string]string{
		"DuckDuckBot": "x.duckduckgo.com", "AhrefsBot": "proxy-fr006.ahrefs.net", "SemrushBot": "1.bl.bot.semrush.com",
	} {
		if c, _ := bot.CrawlerNamed(name); len(c.Hosts) > 0 || c.Owns(host) || c.Owns("") {
			t.Errorf("%s owns a host name although its host names are not documented", name)
		}
	}
}
