package visitor

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"testing"

	"switchyard/models/bot"
)

const (
	firefoxLinux = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	safariPhone  = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
		"Version/18.5 Mobile/15E148 Safari/604.1"
	safariOld   = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.5 Safari/605.1.15"
	chromeOf156 = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
	chromeOld   = "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.88 Safari/537.36"
)

// claim returns a request with a browser's user agent, and other headers in name-value pairs.
func claim(userAgent string, pairs ...string) *http.Request {
	r := &http.Request{Method: http.MethodGet, RemoteAddr: "81.2.69.142:40000", Header: http.Header{}}
	r.Header.Set("User-Agent", userAgent)
	r.Header.Set("Accept-Language", "en")
	r.Header.Set("Upgrade-Insecure-Requests", "1")
	for i := 0; i < len(pairs); i += 2 {
		if r.Header.Del(pairs[i]); pairs[i+1] != "" {
			r.Header.Set(pairs[i], pairs[i+1])
		}
	}
	return r
}

// TestClaimedEngines compares requests of each engine with requests that only pretend to come from it.
func TestClaimedEngines(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{})
	const webp = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
	for name, c := range map[string]struct {
		request *http.Request
		want    bot.Signals
	}{
		"chrome":                       {claim(chromeWindows, "Accept", acceptBlink, "Accept-Encoding", "gzip, deflate"), 0},
		"firefox":                      {claim(firefoxLinux, "Accept", acceptOther, "Accept-Encoding", "gzip, deflate"), 0},
		"firefox of 2022":              {claim(firefoxLinux, "Accept", webp, "Accept-Encoding", "gzip, deflate"), 0},
		"safari":                       {claim(safariPhone, "Accept", acceptOther, "Accept-Encoding", "gzip, deflate"), 0},
		"behind a compressing proxy":   {claim(chromeWindows, "Accept", acceptBlink, "Accept-Encoding", "br,gzip"), 0},
		"encodings removed by a proxy": {claim(chromeWindows, "Accept", acceptBlink), 0},
		"accept removed by a proxy":    {claim(chromeWindows, "Accept-Encoding", "gzip"), bot.FewHeaders},
		"a script of a page":           {claim(chromeWindows, "Accept", "*/*", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Site", "cross-site"), 0},
		"older than the rules":         {claim(chromeOld, "Accept", "*/*", "Accept-Encoding", "gzip"), 0},
		"a television":                 {claim(chromeWindows+" SmartTV", "Accept", "*/*", "Accept-Encoding", "gzip"), 0},
		"chrome by a library":          {claim(chromeWindows, "Accept", "*/*", "Accept-Encoding", "gzip"), bot.UAMismatch},
		"chrome with another accept":   {claim(chromeWindows, "Accept", acceptOther, "Accept-Encoding", "gzip"), bot.UAMismatch},
		"safari by chromium":           {claim(safariPhone, "Accept", acceptBlink, "Accept-Encoding", "gzip"), bot.UAMismatch},
		"firefox by a library":         {claim(firefoxLinux, "Accept", "text/html, image/gif", "Accept-Encoding", "gzip"), bot.UAMismatch},
		"codings of a library":         {claim(firefoxLinux, "Accept", acceptOther, "Accept-Encoding", "deflate, gzip, br"), bot.UAMismatch},
		"codings with weights":         {claim(firefoxLinux, "Accept", acceptOther, "Accept-Encoding", "gzip;q=1.0,deflate;q=0.6"), bot.UAMismatch},
		"half of the metadata":         {claim(safariOld, "Accept", acceptOther, "Sec-Fetch-Mode", "cors"), bot.UAMismatch},
		"any language": {
			claim(firefoxLinux, "Accept", acceptOther, "Accept-Encoding", "gzip", "Accept-Language", "*"), bot.NoAcceptLanguage,
		},
		"neither accept nor language": {
			claim(chromeWindows, "Accept-Language", ""), bot.UAMismatch | bot.NoAcceptLanguage | bot.FewHeaders,
		},
		"headless brand": {
			claim(chromeWindows, "Accept", acceptBlink, "Sec-Ch-Ua", `"Chromium";v="120", "HeadlessChrome";v="120"`), bot.Headless,
		},
		"the connection's headers count for nothing": {
			claim(safariOld, "Accept", acceptOther, "Accept-Language", "", "Connection", "keep-alive", "Keep-Alive", "300", "Upgrade-Insecure-Requests", ""),
			bot.NoAcceptLanguage | bot.FewHeaders,
		},
		"a removed list of encodings": {
			claim(safariOld, "Accept", acceptOther, "Upgrade-Insecure-Requests", ""), 0,
		},
	} {
		var got Description
		if d.Describe(c.request, nil, &got); got.Signals != c.want {
			t.Errorf("%s: signals %v, want %v", name, got.Signals.Reasons(), c.want.Reasons())
		}
	}
}

// TestMetadataIsAskedForByHTTPS: browsers send Fetch Metadata only by https, so it is required only there.
func TestMetadataIsAskedForByHTTPS(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	for name, c := range map[string]struct {
		userAgent, proto, site, peer string
		tls                          bool
		want                         bot.Signals
	}{
		"by http":                 {firefoxLinux, "", "", "81.2.69.142:1", false, 0},
		"by https":                {firefoxLinux, "", "", "81.2.69.142:1", true, bot.FewHeaders},
		"with metadata":           {firefoxLinux, "", "none", "81.2.69.142:1", true, 0},
		"a proxy says http":       {firefoxLinux, "http", "", "10.0.0.1:1", false, 0},
		"a proxy says https":      {firefoxLinux, "HTTPS", "", "10.0.0.1:1", false, bot.FewHeaders},
		"a stranger says https":   {firefoxLinux, "https", "", "81.2.69.142:1", false, 0},
		"safari without metadata": {safariOld, "", "", "81.2.69.142:1", true, 0},
	} {
		r := claim(c.userAgent, "Accept", acceptOther, "Accept-Encoding", "gzip", "X-Forwarded-Proto", c.proto, "Sec-Fetch-Site", c.site)
		if r.RemoteAddr = c.peer; c.tls {
			r.TLS = &tls.ConnectionState{}
		}
		var got Description
		if d.Describe(r, nil, &got); got.Signals != c.want {
			t.Errorf("%s: signals %v, want %v", name, got.Signals.Reasons(), c.want.Reasons())
		}
	}
}

// TestHintsOfOtherSystems covers systems for which the hints have no name.
func TestHintsOfOtherSystems(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{})
	const engine = " AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
	for _, c := range []struct{ userAgent, platform, mobile string }{
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One)" + engine + "Safari/537.36 Edg/120.0.0.0", `"Windows"`, "?0"},
		{"Mozilla/5.0 (Web0S; Linux/SmartTV)" + engine + "Safari/537.36 DMOST/2.0.0 (; LGE; webOSTV; W22_L18A;)", `"Linux"`, "?0"},
		{"Mozilla/5.0 (Linux; HarmonyOS 3.0.0; NOH-AN00)" + engine + "Mobile Safari/537.36", `"Linux"`, "?1"},
	} {
		var got Description
		d.Describe(browserRequest("User-Agent", c.userAgent, "Sec-Ch-Ua-Platform", c.platform, "Sec-Ch-Ua-Mobile", c.mobile), nil, &got)
		if got.Signals != 0 {
			t.Errorf("a real browser that says %s is given the signals %v", c.userAgent, got.Signals.Reasons())
		}
	}
}

// TestTextBrowsersAreNoCrawlers: Lynx is not called a crawler, although crawlerdetect finds in its user agent the name of the
// library from which Lynx is made.
func TestTextBrowsersAreNoCrawlers(t *testing.T) {
	t.Parallel()
	const lynx = "Lynx/2.9.0dev.12 libwww-FM/2.14 SSL-MM/1.4.1 GNUTLS/3.7.8"
	if isRareCrawler(lynx, classify(lynx)) {
		t.Error("Lynx is called a crawler")
	}
	if library := "libwww-FM/2.14"; !isRareCrawler(library, classify(library)) {
		t.Error("the library is not called a crawler")
	}
}
