package visitor

import (
	"slices"
	"strings"

	"switchyard/models/param"
)

// domainOf returns the host of a referrer such as https://... or android-app://..., in lower case, without port and leading www.
func domainOf(referrer string) string {
	scheme, host, found := strings.Cut(referrer, "://")
	if !found || len(scheme) > 16 {
		return ""
	}
	if i := strings.IndexAny(host, "/?#\\"); i >= 0 {
		host = host[:i]
	}
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if ipv6, ok := strings.CutPrefix(host, "["); ok {
		host, _, _ = strings.Cut(ipv6, "]")
	} else {
		host, _, _ = strings.Cut(host, ":")
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	host = strings.TrimPrefix(host, "www.")
	if len(host) > MaxDomain || strings.ContainsRune(host, ' ') {
		return ""
	}
	return host
}

// searchEngines are recognized by the mark: a label of their domain that is followed by a top-level domain, or a whole domain if
// the mark has a dot. The field param is the name of the parameter with the searched words in the address of a result page. The field
// charset is the charset of these words in addresses of the engine's old pages and of its partners.
var searchEngines = []struct{ mark, name, param, charset string }{
	{"google", "Google", "q", ""},
	{"bing", "Bing", "q", ""},
	{"yahoo", "Yahoo", "p", ""},
	{"duckduckgo", "DuckDuckGo", "q", ""},
	{"yandex", "Yandex", "text", "windows-1251"},
	{"ya.ru", "Yandex", "text", "windows-1251"},
	{"baidu", "Baidu", "wd", "gbk"},
	{"ecosia", "Ecosia", "q", ""},
	{"startpage", "Startpage", "query", ""},
	{"qwant", "Qwant", "q", ""},
	{"search.brave.com", "Brave Search", "q", ""},
	{"naver", "Naver", "query", "euc-kr"},
	{"daum", "Daum", "q", "euc-kr"},
	{"seznam", "Seznam", "q", ""},
	{"sogou", "Sogou", "query", "gbk"},
	{"so.com", "360 Search", "q", "gbk"},
	{"sm.cn", "Shenma", "q", ""},
	{"coccoc", "Coc Coc", "query", ""},
	{"go.mail.ru", "Mail.ru", "q", "windows-1251"},
	{"ask.com", "Ask", "q", ""},
	{"search.aol.com", "AOL", "q", ""},
	{"petalsearch", "Petal Search", "query", ""},
	{"swisscows", "Swisscows", "query", ""},
	{"mojeek", "Mojeek", "q", ""},
	{"kagi", "Kagi", "q", ""},
	{"com.google.android.googlequicksearchbox", "Google", "q", ""},
}

// notSearch lists the first labels of domains at which search engines offer other services.
var notSearch = []string{
	"mail.", "docs.", "drive.", "accounts.", "translate.", "sites.", "groups.", "plus.", "play.", "meet.",
}

// searchOf returns the search engine behind a referrer, and the searched words if the referrer has them.
func searchOf(domain, referrer string) (engine, keyword string) {
	if domain == "" {
		return "", ""
	}
	for _, e := range searchEngines {
		if !matchesEngine(domain, e.mark) {
			continue
		}
		for _, prefix := range notSearch {
			if strings.HasPrefix(domain, prefix) && domain != e.mark {
				return "", ""
			}
		}
		return e.name, queryValue(referrer, e.param, e.charset)
	}
	return "", ""
}

// matchesEngine reports whether a mark matches a domain or one of its parent domains. A mark without a dot must be the registered
// label: google matches google.co.uk and images.google.de, but neither google.example.com nor notgoogle.com.
func matchesEngine(domain, mark string) bool {
	i := strings.Index(domain, mark)
	if i < 0 || i > 0 && domain[i-1] != '.' {
		return false
	}
	suffix := domain[i+len(mark):]
	if strings.IndexByte(mark, '.') >= 0 {
		return suffix == ""
	}
	if len(suffix) < 3 || suffix[0] != '.' {
		return false
	}
	first, second, hasTwo := strings.Cut(suffix[1:], ".")
	return !hasTwo || len(first) <= 3 && len(second) == 2 // .de, .com or .co.uk, .com.br
}

// queryValue returns the first non-empty value of the parameter with the given name in the query of rawURL. A query that is not
// UTF-8 and does not state its charset is read in the given charset, in which the engine's old pages wrote it.
func queryValue(rawURL, name, charset string) string {
	_, query, _ := strings.Cut(rawURL, "?")
	query, _, _ = strings.Cut(query, "#")
	if !strings.Contains(query, name+"=") {
		return ""
	}
	list := param.FromQuery(query, param.Clues{})
	if charset != "" && strings.IndexByte(query, '%') >= 0 && !slices.ContainsFunc(list, statesCharset) {
		list = param.FromQuery(query, param.Clues{Charset: charset})
	}
	for _, p := range list {
		if p.Name == name {
			if text := clean(p.Value, MaxText); text != "" {
				return text
			}
		}
	}
	return ""
}

// statesCharset reports whether a parameter says in which charset the searched words are.
func statesCharset(p param.Param) bool { return p.Name == "ie" && p.Value != "" }
