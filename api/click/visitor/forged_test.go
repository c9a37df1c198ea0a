package visitor

import (
	"crypto/tls"
	"testing"

	"switchyard/models/bot"
)

// TestForgedBrowsers: a person's request may have one contradiction or one oddity. Two of them show that the browser is forged, except
// in a web view of an app.
func TestForgedBrowsers(t *testing.T) {
	t.Parallel()
	d := newTestDescriber(t, Options{})
	const (
		windows      = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.0.0 Safari/537.36"
		fullVersion  = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.7827.93 Safari/537.36"
		app          = "Mozilla/5.0 (Linux; Android 15; V2310 Build/AP3A.240905.015) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/149.0.7827.93 Mobile Safari/537.36"
		jxl          = "text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8"
		chromeBrands = `"Chromium";v="149", "Google Chrome";v="149", "Not/A)Brand";v="24"`
		later        = `"Not:A-Brand";v="8", "Chromium";v="156"`
		webView      = `"Chromium";v="149", "Android WebView";v="149", "Not/A)Brand";v="24"`
		forged       = bot.ForgedBrowser
	)
	for name, c := range map[string]struct {
		userAgent, hints, platform, accept string
		pairs                              []string
		plain                              bool // by http
		want                               bot.Signals
	}{
		"chrome":                             {windows, chromeBrands, "Windows", acceptBlink, nil, false, 0},
		"chrome by http":                     {windows, "", "", acceptBlink, nil, true, 0},
		"hints filtered":                     {windows, "", "", acceptBlink, nil, false, 0},
		"image/jxl by a flag":                {windows, chromeBrands, "Windows", jxl, nil, false, 0},
		"image/jxl by a flag, by http":       {windows, "", "", jxl, nil, true, 0},
		"language filtered":                  {windows, chromeBrands, "Windows", acceptBlink, []string{"Accept-Language", ""}, false, bot.NoAcceptLanguage},
		"language filtered, by http":         {windows, "", "", acceptBlink, []string{"Accept-Language", ""}, true, bot.NoAcceptLanguage},
		"image/jxl when it is usual":         {chromeOf156, later, "Linux", jxl, nil, false, 0},
		"an app that hides itself":           {app, webView, "Android", acceptBlink, []string{"X-Requested-With", "mark.via.gp"}, false, 0},
		"an app's page for the desktop":      {windows, webView, "Android", jxl, nil, false, bot.UAMismatch},
		"an old app's page for the desktop":  {windows, "", "", jxl, []string{"X-Requested-With", "com.example.app"}, false, 0},
		"a fork's whole version":             {fullVersion, chromeBrands, "Windows", acceptBlink, nil, false, 0},
		"another version":                    {windows, later, "Windows", acceptBlink, nil, false, bot.UAMismatch},
		"another system":                     {windows, chromeBrands, "Linux", acceptBlink, nil, false, bot.UAMismatch},
		"safari simulated in chrome's tools": {safariPhone, "", "", acceptBlink, nil, false, bot.UAMismatch},

		"user agent set by puppeteer":    {windows, "", "", jxl, nil, false, forged},
		"the headless shell":             {windows, "", "", acceptBlink, []string{"Accept-Language", ""}, false, forged | bot.NoAcceptLanguage},
		"the headless shell by http":     {windows, "", "", jxl, []string{"Accept-Language", ""}, true, forged | bot.NoAcceptLanguage},
		"another version and system":     {windows, later, "Linux", acceptBlink, nil, false, forged | bot.UAMismatch},
		"a device of playwright":         {fullVersion, later, "Windows", acceptBlink, nil, false, forged | bot.UAMismatch},
		"a phone of playwright":          {safariPhone, later, "iOS", jxl, nil, false, forged | bot.UAMismatch},
		"firefox by chromium":            {firefoxLinux, later, "Linux", acceptBlink, nil, false, forged | bot.UAMismatch},
		"another version, and image/jxl": {windows, later, "Windows", jxl, nil, false, forged | bot.UAMismatch},
	} {
		mobile := "?0"
		if c.platform == "iOS" || c.platform == "Android" {
			mobile = "?1"
		}
		pairs := []string{"Accept", c.accept, "Accept-Encoding", "gzip, deflate", "Sec-Ch-Ua", c.hints, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"}
		if c.hints != "" {
			pairs = append(pairs, "Sec-Ch-Ua-Platform", `"`+c.platform+`"`, "Sec-Ch-Ua-Mobile", mobile)
		}
		r := claim(c.userAgent, append(pairs, c.pairs...)...)
		if !c.plain {
			r.TLS = &tls.ConnectionState{}
		}
		var got Description
		if d.Describe(r, nil, &got); got.Signals != c.want {
			t.Errorf("%s: signals %v, want %v", name, got.Signals.Reasons(), c.want.Reasons())
		}
	}
}
