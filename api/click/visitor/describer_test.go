package visitor

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/models/country"
)

func newTestDescriber(tb testing.TB, o Options) *Describer {
	tb.Helper()
	d, err := New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

const chromeWindows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/120.0.0.0 Safari/537.36"

// browserRequest returns a request of Chrome on Windows, changed by name-value pairs. An empty value removes the header.
func browserRequest(pairs ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/alias?sub1=a", nil)
	r.RemoteAddr = "81.2.69.142:40000"
	for name, value := range map[string]string{
		"User-Agent": chromeWindows, "Accept": acceptBlink, "Accept-Language": "en-GB,en;q=0.9",
		"Accept-Encoding": "gzip, deflate, br", "Upgrade-Insecure-Requests": "1",
		"Sec-Ch-Ua":          `"Not_A Brand";v="8", "Chromium";v="120", "Google Chrome";v="120"`,
		"Sec-Ch-Ua-Platform": `"Windows"`, "Sec-Ch-Ua-Mobile": "?0",
	} {
		r.Header.Set(name, value)
	}
	for i := 0; i < len(pairs); i += 2 {
		if r.Header.Del(pairs[i]); pairs[i+1] != "" {
			r.Header.Set(pairs[i], pairs[i+1])
		}
	}
	return r
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{})
	got := Description{Visitor: models.Visitor{Keyword: "left over", City: "left over"}}
	d.Describe(browserRequest("Referer", "https://www.google.co.uk/search?q=red+shoes%21&hl=en"), nil, &got)
	want := Description{Continent: "EU", Visitor: models.Visitor{
		IP: netip.MustParseAddr("81.2.69.142"), Country: "GB", ProxyKind: ProxyNone,
		Language: "en", DeviceType: Desktop, OS: "Windows", OSVersion: "10", Browser: "Chrome",
		BrowserVersion: "120.0.0.0", UserAgent: chromeWindows, ReferrerDomain: "google.co.uk", SearchEngine: "Google",
		Referrer: "https://www.google.co.uk/search?q=red+shoes%21&hl=en", Keyword: "red shoes!",
	}}
	if got != want {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if country.Name(got.Country) != "United Kingdom" || !got.IP.Is4() {
		t.Errorf("the country is %q and the address is %s, want United Kingdom and an IPv4 address", country.Name(got.Country), got.IP)
	}
}

// TestDescribeUnderLoad describes user agents in eight goroutines at the same time. The CPU time that the slow parsers may use is
// then too little for most of the user agents.
func TestDescribeUnderLoad(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{UACacheSize: 100, CityDB: writeDB(t, "load", map[string]mm{
		"81.2.69.0/24": {"country": mm{"iso_code": text("FR")}, "city": named("Brest")},
	})})
	agents := realAgents(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var got Description
			for _, want := range agents {
				r := browserRequest("User-Agent", want.UserAgent, "Sec-Ch-Ua", "", "Sec-Ch-Ua-Platform", "")
				d.Describe(r, nil, &got)
				if got.DeviceType != want.DeviceType || got.City != "Brest" ||
					want.OS != "" && got.OS != want.OS || want.Browser != "" && got.Browser != want.Browser {
					t.Errorf("%s: %+v", want.UserAgent, got)
				}
			}
		})
	}
	all.Wait()
}

func TestSignals(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{})
	curl := httptest.NewRequest(http.MethodGet, "/", nil)
	curl.Header.Set("User-Agent", "curl/8.4.0")
	curl.Header.Set("Accept", "*/*")
	head := browserRequest()
	head.Method = http.MethodHead
	withoutHints := func(pairs ...string) *http.Request {
		return browserRequest(append(pairs, "Sec-Ch-Ua", "", "Sec-Ch-Ua-Platform", "", "Sec-Ch-Ua-Mobile", "")...)
	}
	withAgent := func(userAgent string) *http.Request { return withoutHints("User-Agent", userAgent) }
	for name, c := range map[string]struct {
		request *http.Request
		want    bot.Signals
	}{
		"browser": {browserRequest(), 0},
		"firefox": {withoutHints("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
			"Accept", acceptOther), 0},
		"curl":          {curl, bot.HTTPLibrary | bot.NoAcceptLanguage | bot.FewHeaders},
		"no agent":      {withAgent(""), bot.EmptyUserAgent},
		"blank agent":   {withAgent(" \x01 "), bot.EmptyUserAgent},
		"head":          {head, bot.HeadRequest},
		"prefetch":      {browserRequest("Sec-Purpose", "prefetch;prerender"), bot.Prefetch},
		"old prefetch":  {browserRequest("X-Moz", "prefetch"), bot.Prefetch},
		"not prefetch":  {browserRequest("Purpose", "reading"), 0},
		"crawler":       {withAgent("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"), bot.DeclaredBot},
		"ai":            {withAgent("Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"), bot.AICrawler},
		"preview":       {withAgent("facebookexternalhit/1.1"), bot.LinkPreview},
		"rare crawler":  {withAgent("Mozilla/5.0 (compatible; heritrix/3.4.0 +http://example.org)"), bot.DeclaredBot},
		"headless":      {withAgent(strings.Replace(chromeWindows, "Chrome/", "HeadlessChrome/", 1)), bot.Headless},
		"other system":  {browserRequest("Sec-Ch-Ua-Platform", `"Linux"`), bot.UAMismatch},
		"other version": {browserRequest("Sec-Ch-Ua", `"Chromium";v="99"`), bot.UAMismatch},
		"other full version": {
			browserRequest("Sec-Ch-Ua-Full-Version-List", `"Not_A Brand";v="8.0.0.0", "Chromium";v="99.0.4844.51"`), bot.UAMismatch,
		},
		"all hints": {browserRequest("Sec-Ch-Ua-Platform-Version", `"15.0.0"`, "Sec-Ch-Ua-Model", `""`,
			"Sec-Ch-Ua-Full-Version-List", `"Not_A Brand";v="8.0.0.0", "Chromium";v="120.0.6099.71", "Google Chrome";v="120.0.6099.71"`), 0},
		"another brand's version": {browserRequest("Sec-Ch-Ua", `"Chromium";v="120", "Opera";v="106", "Not?A_Brand";v="24"`,
			"Sec-Ch-Ua-Full-Version-List", `"Chromium";v="120.0.6099.71", "Opera";v="106.0.4998.19", "Not?A_Brand";v="24.0.0.0"`), 0},
		"no list of full versions":    {browserRequest("Sec-Ch-Ua-Full-Version-List", ""), 0},
		"a list of nothing but noise": {browserRequest("Sec-Ch-Ua-Full-Version-List", `"Not_A Brand";v="99.0.0.0"`), 0},
		"mobile hint":                 {browserRequest("Sec-Ch-Ua-Mobile", "?1"), bot.UAMismatch},
		"hints of firefox": {browserRequest("User-Agent",
			"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"), bot.UAMismatch | bot.ForgedBrowser},
		"ancient":     {withAgent("Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)"), bot.UAMismatch},
		"no language": {browserRequest("Accept-Language", ""), bot.NoAcceptLanguage},
		"proxy headers count for nothing": {
			browserRequest("Accept-Language", "", "Accept-Encoding", "",
				"Upgrade-Insecure-Requests", "", "Sec-Ch-Ua", "", "Sec-Ch-Ua-Platform", "", "Sec-Ch-Ua-Mobile", "",
				"X-Forwarded-For", "1.1.1.1", "X-Forwarded-Proto", "https", "Via", "1.1 vegur", "Cf-Ray", "1"),
			bot.NoAcceptLanguage | bot.FewHeaders,
		},
	} {
		var got Description
		if d.Describe(c.request, nil, &got); got.Signals != c.want {
			t.Errorf("%s: signals %b, want %b", name, got.Signals, c.want)
		}
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{})
	const webkit = " AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
	const androidK = "Mozilla/5.0 (Linux; Android 10; K)" + webkit + "Mobile Safari/537.36"
	const macChrome = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)" + webkit + "Safari/537.36"
	for _, c := range []struct {
		pairs                          []string
		browser, version, brand, model string
	}{
		{[]string{"Sec-Ch-Ua-Platform-Version", `"15.0.0"`}, "Chrome", "11", "", ""},
		{[]string{"Sec-Ch-Ua-Platform-Version", `"10.0.0"`}, "Chrome", "10", "", ""},
		{[]string{"Sec-Ch-Ua-Platform-Version", `"nonsense"`}, "Chrome", "10", "", ""},
		{[]string{"Sec-Ch-Ua", `"Brave";v="120", "Chromium";v="120"`}, "Brave", "10", "", ""},
		{
			[]string{
				"User-Agent", androidK, "Sec-Ch-Ua-Platform", `"Android"`, "Sec-Ch-Ua-Mobile", "?1",
				"Sec-Ch-Ua-Model", `"Pixel 8 Pro"`, "Sec-Ch-Ua-Platform-Version", `"14.0.0"`,
			},
			"Chrome", "14", "Google", "Pixel 8 Pro",
		},
		{
			[]string{"User-Agent", macChrome, "Sec-Ch-Ua-Platform", `"macOS"`, "Sec-Ch-Ua-Platform-Version", `"14.5.0"`},
			"Chrome", "14.5", "Apple", "Mac",
		},
		{[]string{"Sec-Ch-Ua-Platform", `"Android"`, "Sec-Ch-Ua-Model", `"Pixel 8"`}, "Chrome", "10", "", ""}, // not used: these hints contradict the user agent
	} {
		var got Description
		d.Describe(browserRequest(c.pairs...), nil, &got)
		if got.Browser != c.browser || got.OSVersion != c.version ||
			got.DeviceBrand != c.brand || got.DeviceModel != c.model {
			t.Errorf("%q: %q %q %q %q", c.pairs, got.Browser, got.OSVersion, got.DeviceBrand, got.DeviceModel)
		}
	}
}

func TestReferrers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ referrer, domain, engine, keyword string }{
		{"", "", "", ""},
		{"https://www.google.com/", "google.com", "Google", ""},
		{"https://google.example.com/?q=x", "google.example.com", "", ""},
		{"https://notgoogle.com/?q=x", "notgoogle.com", "", ""},
		{"https://mail.google.com/mail?q=x", "mail.google.com", "", ""},
		{"https://www.bing.com/search?form=Q&q=caf%C3%A9%0d%0a", "bing.com", "Bing", "café"},
		{"https://search.yahoo.co.jp/search?p=%E9%9D%B4", "search.yahoo.co.jp", "Yahoo", "靴"},
		{"https://mail.yahoo.com/", "mail.yahoo.com", "", ""},
		{"https://ya.ru/search?text=a+b#q", "ya.ru", "Yandex", "a b"},
		{"android-app://com.google.android.googlequicksearchbox/", "com.google.android.googlequicksearchbox", "Google", ""},
		{"https://user:pass@Shop.Example:8443/x?q=1", "shop.example", "", ""},
		{"https://www.google.de/?q=100%&q=50%zz", "google.de", "Google", "100%"},
		{"https://www.google.de/?x=1&amp;q=a+b", "google.de", "Google", "a b"},
		{"http://www.baidu.com/baidu?wd=%CB%AB%C9%AB%C7%F2qq%C8%BA&tn=x", "baidu.com", "Baidu", "双色球qq群"},
		{"https://www.baidu.com/s?wd=%CD%A8", "baidu.com", "Baidu", "通"},
		{"https://www.baidu.com/s?wd=%E5%8F%8C%E8%89%B2%E7%90%83", "baidu.com", "Baidu", "双色球"},
		{"https://www.baidu.com/s?ie=gb2312&wd=%CB%AB%C9%AB", "baidu.com", "Baidu", "双色"},
		{"https://www.sogou.com/web?query=%CA%D6%BB%FA", "sogou.com", "Sogou", "手机"},
		{"https://go.mail.ru/search?q=%EF%F0%E8%E2%E5%F2", "go.mail.ru", "Mail.ru", "привет"},
		{"https://search.naver.com/search.naver?query=%BE%C8%B3%E7", "search.naver.com", "Naver", "안녕"},
		{"https://www.google.com/search?ie=Shift_JIS&q=%93%8C%8B%9E", "google.com", "Google", "東京"},
		{"https://www.google.com/search?q=%93%8C%8B%9E", "google.com", "Google", ""},
		{"http://[2001:db8::1]:80/", "2001:db8::1", "", ""},
		{"http://[", "", "", ""},
		{"nonsense", "", "", ""},
	} {
		domain := domainOf(c.referrer)
		engine, keyword := searchOf(domain, c.referrer)
		if domain != c.domain || engine != c.engine || keyword != c.keyword {
			t.Errorf("%s: the domain is %q, the engine %q and the keyword %q, want %q, %q and %q",
				c.referrer, domain, engine, keyword, c.domain, c.engine, c.keyword)
		}
	}
}

func TestTextsAreCut(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{})
	var got Description
	d.Describe(browserRequest("User-Agent", strings.Repeat("é", 5000),
		"Referer", "http://a/\x00\xff"+strings.Repeat("x", 9000)), nil, &got)
	if len(got.UserAgent) != MaxUserAgent || !utf8.ValidString(got.UserAgent) {
		t.Errorf("the user agent has %d bytes, want %d of valid UTF-8", len(got.UserAgent), MaxUserAgent)
	}
	if len(got.Referrer) != MaxReferrer || !strings.HasPrefix(got.Referrer, "http://a/xxx") {
		t.Errorf("the referrer has %d bytes and begins with %.20q, want %d of valid text", len(got.Referrer), got.Referrer, MaxReferrer)
	}
}

func FuzzDescribe(f *testing.F) {
	d, err := New(Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, UACacheSize: 100})
	if err != nil {
		f.Fatal(err)
	}
	defer d.Close()
	f.Add("10.0.0.1:1", "1.2.3.4, 10.0.0.2", chromeWindows, "en-US", "https://www.google.com/?q=a", `"Chromium";v="120"`)
	f.Add("[::1]:2", "[", "\x00\xff", ";;;", "http://[", `"`)
	f.Add("@", "for=", strings.Repeat("bot", 400), "*", "://?&=%", `"Android"`)
	f.Fuzz(func(t *testing.T, remote, forwarded, ua, accept, referrer, hint string) {
		r := &http.Request{Method: "GET", RemoteAddr: remote, Header: http.Header{
			"X-Forwarded-For": {forwarded}, "User-Agent": {ua}, "Accept-Language": {accept}, "Referer": {referrer},
			"Sec-Ch-Ua": {hint}, "Sec-Ch-Ua-Platform": {hint}, "Sec-Ch-Ua-Model": {hint}, "Sec-Ch-Ua-Platform-Version": {hint},
		}}
		var got Description
		d.Describe(r, nil, &got)
		delete(r.Header, "X-Forwarded-For")
		r.Header["Forwarded"] = []string{forwarded}
		d.Describe(r, nil, &got)
		for text, max := range map[string]int{
			got.UserAgent: MaxUserAgent, got.Referrer: MaxReferrer, got.ReferrerDomain: MaxDomain, got.Keyword: MaxText,
			got.DeviceModel: MaxText, got.DeviceBrand: MaxText, got.OS: MaxText, got.OSVersion: MaxText,
			got.Browser: MaxText, got.BrowserVersion: MaxText, got.Language: 3, got.Country: 2,
		} {
			if len(text) > max || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r\n\x7f") {
				t.Errorf("a text has %d bytes, want at most %d without control characters: %q", len(text), max, text)
			}
		}
		if got.DeviceType == "" || got.ProxyKind == "" {
			t.Errorf("the description %+v has no device type or no kind of proxy", got)
		}
	})
}
