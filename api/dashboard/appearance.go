package dashboard

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"golang.org/x/text/language"

	"switchyard/api/route"
	"switchyard/models"
)

// Cookies that tell the server which look a person has chosen. The server then sends the page in that look from the start.
const (
	themeCookie    = "switchyard-theme"
	languageCookie = "switchyard-language"
)

// themes are the themes that a person can choose instead of the system's.
var themes = map[string]bool{"light": true, "dark": true}

// languages are the languages of the page. The first one is used if a browser wants none of them.
var (
	languages = []string{"en", "de"}
	supported = language.NewMatcher([]language.Tag{language.English, language.German})
)

// testLanguage is a made-up language that only tests use: its words are lengthened English, written from right to left.
const testLanguage = "ar-XB"

func (d Deps) setLookCookies(c *route.Call, p models.Person) {
	for name, value := range map[string]string{themeCookie: p.Theme, languageCookie: p.Language} {
		cookie := http.Cookie{ //nolint:gosec // not always Secure, because a browser drops a Secure cookie that it gets by http
			Name: name, Value: value, Path: Prefix, Secure: d.Site.Secure(), HttpOnly: true,
			SameSite: http.SameSiteStrictMode, MaxAge: int((365 * 24 * time.Hour).Seconds()),
		}
		if value == "" {
			cookie.MaxAge = -1
		}
		c.Header().Add("Set-Cookie", cookie.String())
	}
}

// languageOf returns the language that the person has chosen. Without a choice, it returns the first known language that the
// browser wants.
func languageOf(r *http.Request) string {
	chosen := ""
	if c, err := r.Cookie(languageCookie); err == nil {
		chosen = c.Value
	}
	if chosen == testLanguage {
		return chosen
	}
	_, i := language.MatchStrings(supported, chosen, r.Header.Get("Accept-Language"))
	return languages[i]
}

// withLook returns the page in the theme of the request's cookie and in the language of languageOf.
func withLook(page []byte, r *http.Request) []byte {
	lang, tag := languageOf(r), `<html `
	if c, err := r.Cookie(themeCookie); err == nil && themes[c.Value] {
		tag += `data-theme="` + c.Value + `" `
	}
	words, dir := lang, "ltr"
	if lang == testLanguage {
		words, dir = "en", "rtl"
	}
	page = bytes.Replace(page, []byte(`<html lang="en">`), []byte(tag+`lang="`+lang+`" dir="`+dir+`">`), 1)
	return selectLanguage(page, words)
}

// selectLanguage removes the lines of the page that load the words of other languages.
func selectLanguage(page []byte, lang string) []byte {
	var out []byte
	for line := range bytes.Lines(page) {
		if _, tagLanguage, ok := strings.Cut(string(line), ` hreflang="`); !ok || strings.HasPrefix(tagLanguage, lang+`"`) {
			out = append(out, line...)
		}
	}
	return out
}
