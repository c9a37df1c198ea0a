package visitor

import (
	"net/http"
	"strings"

	"switchyard/models/bot"
)

// kind says which sort of automated client a user agent declares itself to be. One user agent is of one kind, so that
// switching a signal off switches off what it names.
type kind uint8

const (
	human kind = iota
	crawler
	linkPreview
	aiCrawler
	httpLibrary
	headless
	empty
)

var kinds = [...]struct {
	name   string
	signal bot.Signals
}{
	human:       {"", 0},
	crawler:     {"crawler", bot.DeclaredBot},
	linkPreview: {"link_preview", bot.LinkPreview},
	aiCrawler:   {"ai_crawler", bot.AICrawler},
	httpLibrary: {"http_library", bot.HTTPLibrary},
	headless:    {"headless", bot.Headless},
	empty:       {"empty", bot.EmptyUserAgent},
}

func (k kind) signal() bot.Signals { return kinds[k].signal }

// prefetchHeaders announce that nobody has clicked yet.
var prefetchHeaders = []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"}

// headerSignals are the signals of the request's method and of the set of its headers.
func headerSignals(r *http.Request) (s bot.Signals) {
	if r.Method == http.MethodHead {
		s |= bot.HeadRequest
	}
	for _, name := range prefetchHeaders {
		if v := header(r.Header, name); v != "" && isPrefetch(v) {
			s |= bot.Prefetch
		}
	}
	if header(r.Header, "Accept-Language") == "" {
		s |= bot.NoAcceptLanguage
	}
	if header(r.Header, "Accept") == "" || !hasBrowserHeaders(r.Header) {
		s |= bot.FewHeaders
	}
	return s
}

func isPrefetch(v string) bool {
	if len(v) > 64 {
		v = v[:64]
	}
	v = strings.ToLower(v)
	return strings.Contains(v, "prefetch") || strings.Contains(v, "prerender") || strings.Contains(v, "preview")
}

// minHeaders is how many headers every browser sends at least, Host not counted.
const minHeaders = 4

// hasBrowserHeaders counts what the client sent, leaving out what proxies add.
func hasBrowserHeaders(h http.Header) bool {
	own := 0
	for name := range h {
		if isProxyHeader(name) {
			continue
		}
		if own++; own == minHeaders {
			return true
		}
	}
	return false
}

func isProxyHeader(name string) bool {
	switch name[:min(1, len(name))] {
	case "X":
		return strings.HasPrefix(name, "X-Forwarded-") || strings.HasPrefix(name, "X-Re") || name == "X-Client-Ip"
	case "C":
		return strings.HasPrefix(name, "Cf-") || name == "Cdn-Loop" || strings.HasPrefix(name, "Connect-")
	case "F":
		return name == "Forwarded"
	case "T":
		return name == "True-Client-Ip" || name == "Traceparent" || name == "Tracestate"
	case "V":
		return name == "Via"
	}
	return false
}
