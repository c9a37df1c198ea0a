package token_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"switchyard/models/token"
)

// values has the values of tokens by name. Sub-parameters have the names sub1 and so on, and parameters the names param.x and so
// on.
type values map[string]string

var moment = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func (v values) AppendToken(dst []byte, t token.Token) []byte {
	name := t.Name.String()
	switch t.Name {
	case token.Sub:
		name += strconv.Itoa(t.N)
	case token.Param:
		name += "." + t.Arg
	}
	return append(dst, v[name]...)
}
func (v values) Now() time.Time { return moment }
func (v values) Random() uint64 { return 7 }

var sample = values{
	"clickid": "AbC123", "country": "DE", "sub1": "a b&c=d/ü", "sub10": "ten", "sub30": "thirty", "external_id": "x%1",
	"param.Zone": "q", "user_agent": "Mozilla/5.0 (X; Y)", "status": "approved", "payout": "1.50",
	"conversion_id": "tx", "connection_type": "wifi", "source_name": "src",
}

func TestExpand(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"https://a.b/?c={clickid}&x={country}", "https://a.b/?c=AbC123&x=DE"},
		{"https://a.b/{sub1}", "https://a.b/a%20b%26c%3Dd%2F%C3%BC"},
		{"https://a.b/?{_sub1}", "https://a.b/?a%20b&c=d/%C3%BC"},
		{"https://a.b/?e={external_id}&r={_external_id}", "https://a.b/?e=x%251&r=x%1"},
		{"https://a.b/{sub10}{sub2}.", "https://a.b/ten."},
		{"https://a.b/{CLICK_ID}-{uclick}-{cf_click_id}-{subid}", "https://a.b/AbC123-AbC123-AbC123-AbC123"},
		{"https://a.b/{t1}{var10}{sub_id_10}{externalId}", "https://a.b/a%20b%26c%3Dd%2F%C3%BCtentenx%251"},
		{"https://a.b/{connection.type}/{trafficsource}", "https://a.b/wifi/src"},
		{"https://a.b/{param.Zone}{var:Zone}{param.none}", "https://a.b/qq"},
		{"https://a.b/?u={user_agent}", "https://a.b/?u=Mozilla%2F5.0%20%28X%3B%20Y%29"},
		{"https://a.b/{sub30}{var30}.", "https://a.b/thirtythirty."},
		{"https://a.b/{unknown}/{sub31}/{sub0}/{sub03}", "https://a.b/{unknown}/{sub31}/{sub0}/{sub03}"},
		{"https://a.b/?s={status}&p={payout}", "https://a.b/?s={status}&p={payout}"},
		{"https://a.b/{tid}{txid}{transaction.id}", "https://a.b/{tid}{txid}{transaction.id}"},
		{"https://a.b/{status:approved=1,rejected=2}", "https://a.b/{status:approved=1,rejected=2}"},
		{"https://a.b/{status:rejected=2}", "https://a.b/{status:rejected=2}"},
		{"https://a.b/{date}/{date:Ymd,Asia/Tokyo}", "https://a.b/2026-03-04/20260304"},
		{"https://a.b/{date:d.m.y H:i:s,America/New_York}", "https://a.b/04.03.26%2000%3A06%3A07"},
		{`https://a.b/{date:Y-m-d\TH:i\\,UTC}`, "https://a.b/2026-03-04T05%3A06%5C"},
		{"https://a.b/{date:Y,Nowhere/None}", "https://a.b/{date:Y,Nowhere/None}"},
		{"https://a.b/{timestamp}/{date:U}", "https://a.b/1772600767/1772600767"},
		{"https://a.b/{random:10,14}", "https://a.b/12"},
		{"https://a.b/{random:5,1}{random:x}", "https://a.b/{random:5,1}{random:x}"},
		{"https://a.b/{sample:a|b|c d}", "https://a.b/b"},
		{"https://a.b/{{campaign.id}}&{", "https://a.b/{{campaign.id}}&{"},
		{"https://a.b/{}{x{clickid}}", "https://a.b/{}{xAbC123}"},
		{"https://a.b/{__sub1}", "https://a.b/{__sub1}"},
		{"https://{country}.b/{country}", "https://{country}.b/DE"},
		{"https://a.b/ü x\r\nSet-Cookie: a", "https://a.b/%C3%BC%20x%0D%0ASet-Cookie:%20a"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := string(token.Compile(tt.in).Expand([]byte("#"), sample)); got != "#"+tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.in, got, tt.want)
		}
	}
	long := values{"sub1": strings.Repeat("x", 5000)}
	if got := token.Compile("https://a.b/{sub1}").Expand(nil, long); len(got) > 2100 {
		t.Errorf("a long value was not cut: the URL has %d bytes", len(got))
	}
}

func TestExpandPostback(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://a.b/?s={status}&p={payout}&e={external_id}":        "https://a.b/?s=approved&p=1.50&e=x%251",
		"https://a.b/{tid}-{txid}-{transaction.id}":                 "https://a.b/tx-tx-tx",
		"https://a.b/?s={status:approved=1,rejected=0}":             "https://a.b/?s=1",
		"https://a.b/?s={STATUS: Approved = ok & go ,x=}":           "https://a.b/?s=ok%20%26%20go",
		"https://a.b/?s={status:rejected=0}&t={_status:approved=+}": "https://a.b/?s=&t=+",
		"https://a.b/?x={unknown}&y={{campaign.id}}&z={sub2}":       "https://a.b/?x=&y=&z=",
		"https://a.b/?s={status:approved}&t={}&{":                   "https://a.b/?s=&t={}&{",
		"https://{country}.b/{country}":                             "https://{country}.b/DE",
	} {
		if got := string(token.CompilePostback(in).Expand(nil, sample)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestMasked(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://a.b/token/x":                              "https://a.b/token/x",
		"https://a.b/?token={external_id}&key=s3&e=1&pass": "https://a.b/?token={external_id}&key=***&e=1&pass",
		"https://a.b/?API_KEY=a=b&secret=&monkey=1":        "https://a.b/?API_KEY=***&secret=&monkey=1",
	} {
		if got := token.Masked(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	got := token.Secrets("https://a.b/?token={external_id}&key=s3cret&e=1&pass&secret=a%26b&pwd=x&auth=last#f")
	if want := []string{"s3cret", "a%26b", "a&b", "last"}; !slices.Equal(got, want) {
		t.Errorf("the secrets are %q, want %q", got, want)
	}
}

func TestEveryName(t *testing.T) {
	t.Parallel()
	list := strings.Fields(`clickid campaign_id campaign_name campaign_alias path_id path_name lander_id
		lander_name lp_slot
		offer_id offer_name network_id network_name source_id source_name external_id cost currency country country_name
		region city language ip isp asn mobile_operator connection_type device_type device_brand device_model os
		os_version browser browser_version user_agent referrer referrer_domain keyword is_unique is_bot visitor_id domain
		lp_key`)
	v := values{}
	for _, name := range list {
		v[name] = "v-" + name
	}
	for _, name := range list {
		if got := string(token.Compile("https://a.b/{"+name+"}").Expand(nil, v)); got != "https://a.b/v-"+name {
			t.Errorf("the token {%s} gives %s, want v-%s", name, got, name)
		}
	}
	tpl := token.Compile("https://a.b/{lp_key}/{_sub4}")
	if !tpl.Uses(token.LPKey) || !tpl.Uses(token.Sub) || tpl.Uses(token.ClickID) {
		t.Error("Uses must return true only for lp_key and sub")
	}
}

// Each letter gives the value that its documentation shows.
func TestDateLetters(t *testing.T) {
	t.Parallel()
	at := at{time.Date(2026, 3, 5, 13, 7, 9, 0, time.UTC)}
	for _, l := range token.DateLetters {
		_, want, _ := strings.Cut(l.Means, ": ")
		template := token.Compile("https://a.b/{_date:" + string(l.Letter) + ",Europe/Berlin}")
		if got := strings.TrimPrefix(string(template.Expand(nil, at)), "https://a.b/"); got != want {
			t.Errorf("the letter %c (%s) gives %s, want %s", l.Letter, l.Means, got, want)
		}
	}
}

type at struct{ now time.Time }

func (at) AppendToken(dst []byte, _ token.Token) []byte { return dst }
func (v at) Now() time.Time                             { return v.now }
func (at) Random() uint64                               { return 0 }

func TestLooksLikeMacro(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"{x}", "${SUBID}", "{{campaign.id}}", "[BID]", "#s2#", "##SUB_ID_SHORT(action)##",
		"__CLICKID__",
		"OPTIONAL", "REPLACE", "!!!clickRef!!!", "[[[subid1]]]", "@@x@@", "%%CACHEBUSTER%%", "%txid%",
		"%7Bclickid%7D", "%7b%7bad.id%7d%7d", "%5BSUBID%5D", "%24%7BSUBID%7D", " {cost} ", "{:click_id}", "{param|x}", "{$cost}", "[$click_id]",
	} {
		if !token.LooksLikeMacro(s) {
			t.Errorf("%s is not recognized as a macro", s)
		}
	}
	for _, s := range []string{
		"", "x", "{}", "{ }", "{", "##", "#", "____", "[1,2]",
		"[2024]", `{"a":1}`, "#12#", "a{x}", "{x}b",
		"optional", "OPTIONALS", "1.5", "__", "{<script>}", "[[]]", "%", "%%", "%20%", "50%", "%zz", "%E4%F6%", "%7B%7D", "%7B1,2%7D", "{" + strings.Repeat("x", 80) + "}",
	} {
		if token.LooksLikeMacro(s) {
			t.Errorf("%s is taken for an unfilled macro", s)
		}
	}
}

func TestValidURL(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"http://a.b", "https://a.b/", "HTTPS://A.B:8443/x?y={sub1}#z",
		"https://192.0.2.1/", "http://[2001:db8::1]:80/",
		"https://a.b?x=@", "https://a.b/{clickid}@x", "https://a-b.c_d.example./", "http://localhost", "https://a.b/ü",
		"https://a.b/?d={date:Y-m-d H:i, Europe/Berlin}&{sample:a b|c}",
	} {
		if err := token.ValidURL(s); err != nil || !token.IsURL(s) {
			t.Errorf("the valid address %s is refused: %v", s, err)
		}
	}
	for _, s := range []string{
		"", "a.b", "//a.b", "ftp://a.b", "javascript:alert(1)", "http:a.b", "http:/a.b",
		"http://", "http:///x",
		"https://{sub1}/", "https://a{sub1}.b/", "https://a.b{sub1}", "https://u@a.b/", "https://u:p@a.b/",
		"https://a.b\\@c.d/", "https://a.b:/",
		"https://a.b:0/", "https://a.b:99999/", "https://a.b:x/", "https://a..b/", "https://.a/", "https://-a.b/",
		"https://a.b/ x", "https://a.b/{sub 1}", "https://a.b/{date:Y\r\nX: y}", "https://a.b/{x y:z}", "https://a.b /{date:Y}",
		"https://a b{x:y}.c/", "https://{x: y}/",
		"https://a.b/\r\n", "https://a.b/\x00", " https://a.b/", "https://[::1/", "https://[1.2.3.4]/",
		"https://[fe80::1%25eth0]/", "https://ä.b/",
		"https://a.b%2f/",
	} {
		if token.ValidURL(s) == nil {
			t.Errorf("%q is accepted", s)
		}
	}
}

func TestExpandDoesNotAllocate(t *testing.T) {
	tpl := token.Compile("https://a.b/?c={clickid}&x={sub1}&d={date:Y-m-d}&r={random:1,9}&s={sample:a|b}&t={timestamp}")
	buf := make([]byte, 0, 512)
	v := token.Values(fixed{})
	if n := testing.AllocsPerRun(100, func() { tpl.Expand(buf, v) }); n != 0 {
		t.Errorf("Expand allocates %v times, want never", n)
	}
}

type fixed struct{}

func (fixed) AppendToken(dst []byte, _ token.Token) []byte { return append(dst, "a value & more"...) }
func (fixed) Now() time.Time                               { return moment }
func (fixed) Random() uint64                               { return 3 }

// FuzzExpand checks that no value, ordinary or raw, in any place, changes the scheme or the host of a redirect or the number of
// its headers.
func FuzzExpand(f *testing.F) {
	for _, v := range []string{
		"x", "@evil.example/", "//evil.example", "\r\nSet-Cookie: a=b", "\\\\evil",
		"?#&=", "%0d%0a", "{clickid}", "\x00\xff",
		"javascript:alert(1)", ":80@evil", "ü\u2028",
	} {
		f.Add(v, v)
	}
	templates := []string{
		"https://host.example/{sub1}", "https://host.example{sub1}",
		"https://host.example?{_sub1}", "https://host.example#{_sub1}",
		"https://host.example/{_sub1}{_sub2}", "https://{sub1}host.example/{_sub2}",
		"HTTPS://host.example:8443/a/{sub1}/{_sub2}?q={_param.x}",
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		v := values{"sub1": one, "sub2": two, "param.x": one}
		for _, text := range templates {
			valid := token.ValidURL(text) == nil
			out := string(token.Compile(text).Expand(nil, v))
			for i := range len(out) {
				if out[i] <= ' ' || out[i] >= 0x7f {
					t.Fatalf("%s gives %q, want one line of printable ASCII", text, out)
				}
			}
			_, _, rest := cutAuthority(text)
			scheme, host, _ := cutAuthority(out)
			wantScheme, wantHost, _ := cutAuthority(text)
			if scheme != wantScheme || host != wantHost {
				t.Fatalf("%s (path %s) leads to %q, which has another scheme or host", text, rest, out)
			}
			if !valid {
				continue
			}
			// Go's own parser must see the same host, unless it refuses the percent signs of a raw value.
			if u, err := url.Parse(out); err == nil &&
				(u.Scheme != "https" || u.Hostname() != "host.example" || u.User != nil) {
				t.Fatalf("%s leads to %q, in which Go's parser reads another scheme, host or user", text, out)
			}
			w := httptest.NewRecorder()
			w.Header().Set("Location", out)
			w.WriteHeader(http.StatusFound)
			if h := w.Result().Header; len(h) != 1 || h.Get("Location") != out {
				t.Fatalf("%s gives the headers %v, want only Location", text, h)
			}
		}
	})
}

// cutAuthority splits an address as a browser does.
func cutAuthority(s string) (scheme, host, rest string) {
	scheme, s, _ = strings.Cut(s, "://")
	if i := strings.IndexAny(s, `/\?#`); i >= 0 {
		return scheme, s[:i], s[i:]
	}
	return scheme, s, ""
}

// FuzzCompile checks that no template makes Compile or Expand panic, that an address accepted by ValidURL keeps its
// host, and that printable ASCII without special characters is not changed.
func FuzzCompile(f *testing.F) {
	for _, s := range []string{
		"https://a.b/{sub1}{date:Y,UTC}{random:1,2}{sample:a|}{status:a=b}{{x}}{_sub1}{",
		"http://[::1]:8/{{{}}}", "x{clickid}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4000 {
			return
		}
		out := string(token.Compile(text).Expand(nil, sample))
		token.LooksLikeMacro(text)
		if token.ValidURL(text) != nil {
			return
		}
		scheme, host, _ := cutAuthority(text)
		if s, h, _ := cutAuthority(out); s != scheme || h != host {
			t.Fatalf("%q leads to %q, which has another scheme or host", text, out)
		}
		if !strings.ContainsAny(text, "{}\"<>\\`") && isPrintable(text) && out != text {
			t.Fatalf("the fixed text %q became %q", text, out)
		}
	})
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

func BenchmarkExpand(b *testing.B) {
	tpl := token.Compile("https://a.b/offer?c={clickid}&x={sub1}&y={country}&z={user_agent}")
	buf, v := make([]byte, 0, 512), token.Values(fixed{})
	b.ReportAllocs()
	for b.Loop() {
		tpl.Expand(buf, v)
	}
}
