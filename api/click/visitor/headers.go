package visitor

import (
	"net/http"
	"strings"

	"switchyard/models/bot"
)

// engine is the engine of a browser whose headers are known from recordings.
type engine uint8

const (
	otherEngine engine = iota
	blink
	gecko
	webkit
)

// The first major version of each engine that sends all headers which the rules below require, including Fetch Metadata.
const (
	firstBlink  = 80 // 2020
	firstGecko  = 90 // 2021
	firstWebkit = 17 // 2023
)

// engineOf returns the engine of a user agent that claims to be a recent Chrome, Edge, Firefox or Safari. Apps, televisions and
// other browsers may send other headers, so engineOf returns otherEngine for them.
func engineOf(a *agent) engine {
	switch a.device {
	case Desktop, Mobile, Tablet:
	default:
		return otherEngine
	}
	major := leadingInt(a.browserVersion)
	switch {
	case (a.browser == "Chrome" || a.browser == "Edge") && a.chrome >= firstBlink:
		return blink
	case a.browser == "Firefox" && a.os != "iOS" && major >= firstGecko:
		return gecko
	case a.browser == "Safari" && major >= firstWebkit && (a.os == "iOS" || a.os == "macOS"):
		return webkit
	}
	return otherEngine
}

// The Accept headers that the engines send when a visitor follows a link. Blink's is recognized by image/apng, which no other
// engine sends.
const (
	acceptBlink = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
	acceptOther = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
)

// Accept returns the Accept header that the browser of a user agent sends when a visitor follows a link.
func Accept(userAgent string) string {
	if classify(userAgent).chrome != 0 {
		return acceptBlink
	}
	return acceptOther
}

// prefetchHeaders announce a request ahead of a click.
var prefetchHeaders = []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"}

// headerSignals returns the signals of the request's method and headers. contradictions is the number of facts that the caller has
// already found to contradict the user agent.
func (d *Describer) headerSignals(r *http.Request, a *agent, contradictions int) (s bot.Signals) {
	h := r.Header
	if r.Method == http.MethodHead {
		s |= bot.HeadRequest
	}
	for _, name := range prefetchHeaders {
		if v := header(h, name); v != "" && isPrefetch(v) {
			s |= bot.Prefetch
		}
	}
	accept, asksLanguage := header(h, "Accept"), hasLanguage(h)
	if !asksLanguage {
		s |= bot.NoAcceptLanguage
	}
	if accept == "" || !hasBrowserHeaders(h) || d.lacksMetadata(r, a) {
		s |= bot.FewHeaders
	}
	if a.kind == human {
		brands := header(h, "Sec-Ch-Ua")
		if strings.Contains(brands, `"HeadlessChrome"`) {
			s |= bot.Headless
		}
		if header(h, "Sec-Fetch-Mode") != "" && header(h, "Sec-Fetch-Site") == "" {
			contradictions++
		}
		if contradictsEngine(h, a.engine, accept, asksLanguage) {
			contradictions++
		}
		if contradictions > 0 {
			s |= bot.UAMismatch
		}
		if contradictions+d.oddities(r, a, accept, brands, asksLanguage) >= 2 && !isWebView(h) {
			s |= bot.ForgedBrowser
		}
	}
	return s
}

func isPrefetch(v string) bool {
	v = strings.ToLower(v[:min(len(v), 64)])
	return strings.Contains(v, "prefetch") || strings.Contains(v, "prerender") || strings.Contains(v, "preview")
}

// hasLanguage reports whether a request has an Accept-Language of a browser. The * that libraries send does not count.
func hasLanguage(h http.Header) bool {
	v := header(h, "Accept-Language")
	return v != "" && v != "*"
}

// lacksMetadata reports whether a request by https lacks Fetch Metadata, which the claimed engine always sends.
func (d *Describer) lacksMetadata(r *http.Request, a *agent) bool {
	return a.engine != otherEngine && header(r.Header, "Sec-Fetch-Site") == "" && d.isSecure(r)
}

// isSecure reports whether the visitor's request came by https. Browsers send Fetch Metadata and client hints only then.
func (d *Describer) isSecure(r *http.Request) bool {
	return r.TLS != nil || d.ForwardedProto(r) == "https"
}

// contradictsEngine reports whether a request has headers that the claimed engine never sends when a visitor follows a link: an
// Accept of a library or of another engine, or an Accept-Encoding in a library's style. A missing Accept alone does not contradict
// the engine, because a proxy may have removed it. It does if Accept-Language is missing too.
func contradictsEngine(h http.Header, claimed engine, accept string, asksLanguage bool) bool {
	if claimed == otherEngine {
		return false
	}
	if codings := header(h, "Accept-Encoding"); strings.HasPrefix(codings, "deflate") || strings.Contains(codings, "q=") {
		return true
	}
	if mode := header(h, "Sec-Fetch-Mode"); mode != "" && mode != "navigate" {
		return false // the request comes from a page's script
	}
	if accept == "" {
		return !asksLanguage
	}
	if claimed == blink {
		return !strings.Contains(accept, "image/apng")
	}
	return !strings.HasPrefix(accept, "text/html,application/xhtml+xml") || strings.Contains(accept, "image/apng")
}

// minHeaders is the smallest number of headers of a browser's request, even behind a proxy that removes Accept-Encoding:
// User-Agent, Accept and Accept-Language.
const minHeaders = 3

func hasBrowserHeaders(h http.Header) bool {
	sent := 0
	for name := range h {
		if isProxyHeader(name) {
			continue
		}
		if sent++; sent == minHeaders {
			return true
		}
	}
	return false
}

// isProxyHeader reports whether proxies add a header, such as X-Real-Ip, X-Request-Id and Cf-Ray, or whether the header belongs
// to the connection, such as Keep-Alive.
func isProxyHeader(name string) bool {
	switch name[:min(1, len(name))] {
	case "X":
		return strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "X-Re") || name == "X-Client-Ip"
	case "C":
		return strings.HasPrefix(name, "Cf-") || name == "Cdn-Loop" || strings.HasPrefix(name, "Connect")
	case "F":
		return name == "Forwarded"
	case "T":
		return name == "True-Client-Ip" || name == "Traceparent" || name == "Tracestate"
	case "V":
		return name == "Via"
	case "K":
		return name == "Keep-Alive"
	}
	return false
}
