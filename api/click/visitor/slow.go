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

// slow holds the regular-expression parser, which takes 4 ms to find the brand, the model, and a rare browser or system. The search for
// rare crawlers takes another 0.5 ms.
type slow struct{ parser *uaparser.Parser }

// slowParser is the only parser of the process. Its own cache is tiny, because our cache is in front of it.
var slowParser = sync.OnceValues(func() (*slow, error) {
	parser, err := uaparser.New(uaparser.WithCacheSize(1))
	if err != nil {
		return nil, err
	}
	const unknown = "-" // matches no rule, so the parser compiles every rule now, not in the first request
	parser.ParseUserAgent(unknown)
	parser.ParseOs(unknown)
	parser.ParseDevice(unknown)
	return &slow{parser}, nil
})

// complete adds the properties that an agent lacks. A rare crawler gets only the kind crawler and the device type Bot.
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

// isRareCrawler looks the user agent up in the long list of the package crawlerdetect. The list takes some harmless programs for
// crawlers, and finds words of crawlers in the names of devices and in coded data that apps append.
func isRareCrawler(userAgent string, a *agent) bool {
	if a.os != "" {
		userAgent = strings.ReplaceAll(userAgent, "Cronet", "")
	}
	return a.browser != "Electron" && !strings.HasPrefix(userAgent, "Lynx/") && crawlerdetect.IsCrawler(withoutData(withoutDevice(userAgent)))
}

// withoutData returns a user agent without words of at least 80 bytes, such as base64. URLs stay.
func withoutData(userAgent string) string {
	const longWord = 80
	if len(userAgent) < longWord {
		return userAgent
	}
	words := strings.Split(userAgent, " ")
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		return len(word) >= longWord && !strings.Contains(word, "://")
	}), " ")
}

// cleanName cleans a name of the parser. It returns "" for words that are not names, such as Other.
func cleanName(name string) string {
	if name == "Other" || strings.HasPrefix(name, "Generic") || strings.EqualFold(name, "Browser") ||
		name == "WebKit Nightly" || name == "Smartphone" || name == "Desktop" || name == "Spider" || name == "K" {
		return ""
	}
	return clean(name, MaxText)
}
