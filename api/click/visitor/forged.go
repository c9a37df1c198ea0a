package visitor

import (
	"net/http"
	"strings"
)

// Versions of Chromium that changed the headers that it sends.
const (
	firstHinted  = 90  // 2021: the first that always sends client hints by https
	firstReduced = 110 // 2023: the first whose user agent states only the major version, on every system
	firstJXL     = 155 // 2026: the first that accepts image/jxl by default
)

// oddities returns the number of facts of a request that a genuine browser of the claimed engine hardly ever shows. A single fact
// means nothing: a fork, a flag or a filter can cause it. Two facts, two contradictions between the headers and the user agent, or
// one of each show that the browser is forged (see headerSignals). The facts are:
//   - Chromium 90 or later by https without client hints. Tools that replace the user agent switch client hints off.
//   - Chromium that accepts image/jxl although its claimed version does not.
//   - A browser that sends Accept but asks for no language, as Chrome's headless shell does.
func (d *Describer) oddities(r *http.Request, a *agent, accept, brands string, asksLanguage bool) (n int) {
	if a.engine == otherEngine {
		return 0
	}
	if accept != "" && !asksLanguage {
		n++
	}
	if a.engine != blink {
		return n
	}
	if a.chrome >= firstHinted && brands == "" && d.isSecure(r) {
		n++
	}
	if a.chrome < firstJXL && strings.Contains(accept, "image/jxl") {
		n++
	}
	return n
}

// isWebView reports whether a request comes from Android's WebView. Some apps, among them browsers, let people choose the user
// agent, while WebView's other headers stay.
func isWebView(h http.Header) bool {
	return strings.Contains(header(h, "X-Requested-With"), ".") || strings.Contains(header(h, "Sec-Ch-Ua"), `"Android WebView"`)
}
