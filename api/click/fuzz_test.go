package click

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/uuid"

	"switchyard/db/store"
)

// FuzzServe sends arbitrary requests. Nothing may panic. A redirect stays on the host of its template. A header is one line of
// printable ASCII. Stored texts are texts that PostgreSQL accepts.
func FuzzServe(f *testing.F) {
	const template = "https://safe.test/p?a={sub1}&b={_sub2}&c={param.x}&d={_param.x}" +
		"&r={_referrer}&u={_user_agent}&k={keyword}"
	r := benchRouting(1)
	id := uuid.New()
	r.Rows = append(r.Rows, &store.RoutingLander{ID: id, AccountID: r.Rows[0].Head().ID, URL: template, IsActive: true})
	offers := store.RoutingRows[*store.RoutingOffer](r)
	for _, o := range offers {
		o.URL = template
	}
	campaignsOf(r)[0].Streams = []byte(`[{"id": "` + uuid.NewString() + `", "action": "lander", "destinations": [{"id": "` +
		id.String() + `"}, {"id": "` + offers[0].ID.String() + `"}]}]`)
	for _, seed := range [][6]string{ // path, query, user agent, referrer, cookies and body
		{"/campaign-0", "sub1=a&sub2=%0d%0aX:y&x=//evil", chrome, "https://a.test/?q=b", "sy_v=x; sy_c=y", "X-Moz"},
		{"/out/1", "clickid=0123456789012345678901", "\xff", "\x00", strings.Repeat("sy_c=", 99), ""},
		{"/postback", "clickid=%zz&payout={payout}", "", "", "", "a=b&clickid=c"},
		{"/postback/x", "", "", "", "", `{"clickid": {"a": [1]}}`},
		{"/pixel.gif", "&&==&%", "", "", "sy_c=AAAA", ""},
		{"//%2e./", "?", "", "", "", ""},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5])
	}
	memory := &memorySpool{}
	h := handlerOf(f, memory, r)
	f.Fuzz(func(t *testing.T, path, query, agent, referrer, cookies, body string) {
		method := http.MethodGet
		if body != "" {
			method = http.MethodPost
		}
		req := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body))
		req.URL = &url.URL{Path: path, RawQuery: query}
		req.Host, req.RemoteAddr = sharedHost, "8.8.8.8:1"
		req.Header = http.Header{"User-Agent": {agent}, "Referer": {referrer}, "Cookie": {cookies}}
		rec := httptest.NewRecorder()
		memory.records = nil
		h.ServeHTTP(rec, req)
		for name, values := range rec.Header() {
			for _, value := range values {
				if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
					t.Fatalf("the header %s is not printable ASCII: %q", name, value)
				}
			}
		}
		if to := rec.Header().Get("Location"); to != "" && !strings.HasPrefix(to, "https://safe.test/p?a=") {
			t.Fatalf("redirected to another host: %q", to)
		}
		for _, c := range memory.clicks() {
			for _, s := range append(c.Subs[:], c.Destination, c.Params, c.UserAgent, c.Referrer, c.ExternalID, c.Keyword) {
				if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
					t.Fatalf("a click has a text that PostgreSQL refuses: %q", s)
				}
			}
		}
		if p := memory.postback(); p != nil {
			for name, value := range p.Params {
				if !utf8.ValidString(name+value) || strings.ContainsRune(name+value, 0) {
					t.Fatalf("a postback has a parameter that PostgreSQL refuses: %q=%q", name, value)
				}
			}
		}
	})
}
