package click

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"switchyard/models/flow"
)

// hostile returns a random value with characters that could break out of its place in an address, header or page.
func hostile(rnd *rand.Rand) string {
	words := []string{
		"\r\n", "\n", "\r", "\x00", "%0d%0a", "%0a", "%", "%%", "//evil.test", "\\\\evil.test", "@evil.test", ":80@", "https:", "http://evil.test/",
		"javascript:", "data:text/html,", "#", "?", "&", "=", "/", "/../", ";", "\"", "'", "<script>", "</script>", "<!--", "{sub1}",
		"{_sub2}", "{", "}", "\u2028", "\u202e", "\xff\xfe", "\xc3", "ü", "日本", " ", "\t", "Set-Cookie: a=b", "Location: x", ".evil.test", "a", "0",
	}
	var b strings.Builder
	for range rnd.IntN(8) {
		if rnd.IntN(4) == 0 {
			b.WriteByte(byte(rnd.IntN(256)))
		} else {
			b.WriteString(words[rnd.IntN(len(words))])
		}
	}
	return b.String()
}

// TestHostileValues puts 50,000 values into every part of a destination that can hold tokens, in every transition. The values
// change neither scheme nor host, add no header and break no line.
func TestHostileValues(t *testing.T) {
	t.Parallel()
	templates := []string{
		"https://safe.test/p?a={sub1}&b={_sub2}&c={param.x}&d={_param.x}&r={_referrer}&u={_user_agent}&k={keyword}#{_sub1}",
		"https://safe.test:8443/p/{sub1}/{_sub2}?{_param.x}",
		"http://{sub1}.safe.test/p?x={sub1}",
		"https://safe.test{_sub1}/p",
		"https://safe.test/p?s={_sample:{sub1}|b}&e={_external_id}",
	}
	transitions := []string{
		flow.Transition301, flow.Transition302, flow.Transition303, flow.Transition307, flow.TransitionMeta,
		flow.TransitionDoubleMeta, flow.TransitionJS, flow.TransitionBlankReferrer, flow.TransitionFormPost, flow.TransitionIframe,
	}
	r := benchRouting(0)
	account, domain := r.Rows[0].Head().ID, r.Rows[1].Head().ID
	proto := *campaignsOf(benchRouting(1))[0]
	for i, template := range templates {
		for j, transition := range transitions {
			c := proto
			c.ID, c.AccountID, c.DomainID, c.Alias = uuid.New(), account, domain, fmt.Sprintf("hostile-%d-%d", i, j)
			c.Streams = fmt.Appendf(nil, `[{"id": %q, "action": "redirect", "transition": %q, "destinations": [{"url": %q}]}]`,
				uuid.NewString(), transition, template)
			r.Rows = append(r.Rows, &c)
		}
	}
	h := handlerOf(t, nowhere{}, r)
	rnd := rand.New(rand.NewPCG(1, 2))
	sent := map[string]int{}
	for n := range 10_000 { // with five values each
		i, j := n%len(templates), n/len(templates)%len(transitions)
		values := make([]string, 5)
		for k := range values {
			values[k] = hostile(rnd)
		}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		req.URL = &url.URL{Path: fmt.Sprintf("/hostile-%d-%d", i, j), RawQuery: url.Values{
			"sub1": values[:1], "sub2": values[1:2], "x": values[2:3], "external_id": values[2:3],
		}.Encode()}
		req.Host, req.RemoteAddr = sharedHost, "8.8.8.8:1"
		req.Header = http.Header{"User-Agent": {values[3]}, "Referer": {values[4]}}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, req)
		where := fmt.Sprintf("%s by %s with %q", templates[i], transitions[j], values)
		checkAnswer(t, where, templates[i], transitions[j], rec)
		sent[transitions[j]]++
		if t.Failed() {
			return
		}
	}
	if len(sent) != len(transitions) {
		t.Errorf("visitors were sent by %v, want every transition", sent)
	}
}

// checkAnswer checks the form that an answer must have for any values.
func checkAnswer(t *testing.T, where, template, transition string, rec *httptest.ResponseRecorder) {
	t.Helper()
	want := map[string]int{"Cache-Control": 1, "Content-Length": 1, "Set-Cookie": 2}
	status, isRedirect := redirects[transition]
	if isRedirect {
		want["Location"] = 1
	} else {
		status = http.StatusOK
		want["Content-Type"], want["X-Content-Type-Options"] = 1, 1
		if pages[transition].noReferrer {
			want["Referrer-Policy"] = 1
		}
	}
	for name, list := range rec.Header() {
		if len(list) != want[name] {
			t.Errorf("%s: the header %s has the values %q, want %d", where, name, list, want[name])
		}
		for _, value := range list {
			if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("%s: the header %s is %q, want only printable ASCII", where, name, value)
			}
		}
	}
	if rec.Code != status || len(rec.Header()) != len(want) {
		t.Errorf("%s: the status is %d, want %d; the headers are %v, want only %v", where, rec.Code, status, rec.Header(), want)
	}
	address := rec.Header().Get("Location")
	if !isRedirect {
		address = addressIn(rec.Body.String())
	}
	// Up to the slash that ends the host, the address is the text of the template.
	start := template[:strings.IndexByte(template[len("https://"):], '/')+len("https:///")]
	if !strings.HasPrefix(address, start) {
		t.Errorf("%s: the visitor is sent to %q, want %s first", where, address, start)
	}
}

// addressIn returns the address that a page leads to, or a text that says what is wrong with the page.
func addressIn(page string) string {
	var found string
	for _, mark := range []string{`content="0;url=`, `href="`, `action="`, `src="`} {
		for _, part := range strings.Split(page, mark)[1:] {
			text, _, _ := strings.Cut(part, `"`)
			if found == "" {
				found = text
			}
			if found != text {
				return "two addresses: " + page
			}
		}
	}
	if strings.Count(page, "<script") != strings.Count(page, "</script>") || strings.Count(page, "<script") > 1 {
		return "scripts: " + page
	}
	return strings.ReplaceAll(strings.ReplaceAll(found, "&amp;", "&"), "&#39;", "'")
}
