package visitor

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/ua-parser/uap-go/uaparser"
	"github.com/x-way/crawlerdetect"

	"switchyard/models/clickattr"
)

// slow holds the regular-expression parser: 0.5 ms to find rare crawlers, 4 ms for brand, model and rare families.
type slow struct{ parser *uaparser.Parser }

// slowParser is the only parser of the process. Its own cache is tiny, because our cache is in front of it.
var slowParser = sync.OnceValues(func() (*slow, error) {
	parser, err := uaparser.New(uaparser.WithCacheSize(1))
	if err != nil {
		return nil, err
	}
	const nobody = "-" // matches no rule; compiles every rule now, not on first use in a request
	parser.ParseUserAgent(nobody)
	parser.ParseOs(nobody)
	parser.ParseDevice(nobody)
	return &slow{parser}, nil
})

// complete adds to a classified agent the properties that the markers could not determine. It never changes the others, except
// for a crawler that only the long list knows.
func (s *slow) complete(userAgent string, a *agent) {
	if a.kind != human {
		return
	}
	if isRareCrawler(userAgent, a) {
		*a = agent{kind: crawler, device: Bot}
		return
	}
	if a.os == "" {
		os := s.parser.ParseOs(userAgent)
		if system, ok := clickattr.Systems.Find(cleanName(os.Family)); ok {
			a.os, a.osVersion = system, clean(os.ToVersionString(), MaxText)
		}
	}
	if a.browser == "" {
		b := s.parser.ParseUserAgent(userAgent)
		a.browser, a.browserVersion = cleanName(b.Family), clean(b.ToVersionString(), MaxText)
		if name, ok := clickattr.Browsers.Find(a.browser); ok {
			a.browser = name
		}
	}
	if a.brand == "" || a.model == "" {
		d := s.parser.ParseDevice(userAgent)
		a.brand, a.model = cmp.Or(a.brand, cleanName(d.Brand)), cmp.Or(a.model, cleanName(d.Model))
	}
}

// isRareCrawler looks the user agent up in the long list. The list is wrong about Electron's desktop programs: it takes some of
// them for their makers' crawlers. It is also wrong about Lynx, which names the library it is made from, about
// devices whose names have words of crawlers, and about coded data that apps append, in which any letters occur. An app that names its
// system may also name Cronet, Chrome's network library, which the list takes for a crawler.
func isRareCrawler(userAgent string, a *agent) bool {
	if a.os != "" {
		userAgent = strings.ReplaceAll(userAgent, "Cronet", "")
	}
	return a.browser != "Electron" && !strings.HasPrefix(userAgent, "Lynx/") && crawlerdetect.IsCrawler(withoutData(withoutDevice(userAgent)))
}

// withoutData returns a user agent without words of at least 80 characters, such as base64. Addresses of crawlers are kept.
func withoutData(userAgent string) string {
	const long = 80
	if len(userAgent) < long {
		return userAgent
	}
	words := strings.Split(userAgent, " ")
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		return len(word) >= long && !strings.Contains(word, "://")
	}), " ")
}

// cleanName returns a name cleaned, or "" for the parser's words for unknown and for words that are no name.
func cleanName(name string) string {
	if name == "Other" || strings.HasPrefix(name, "Generic") || strings.EqualFold(name, "Browser") ||
		name == "WebKit Nightly" || name == "Smartphone" || name == "Desktop" || name == "Spider" || name == "K" {
		return ""
	}
	return clean(name, MaxText)
}
