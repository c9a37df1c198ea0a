package click

import (
	"net/http"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
)

func TestTrackFiltersCapsAndWeights(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	target := func(name string) m { return m{"url": "https://" + name + ".test/", "weight": 1} }
	w.campaign("filtered", nil,
		path("redirect", m{"filters": []m{{"attribute": "country", "operator": "equals", "value": "DE"}}}, target("german")),
		path("redirect", m{"filters": []m{{"attribute": "param.k", "operator": "equals", "value": "v"}}}, target("param")),
		path("redirect", m{"filters": []m{{"attribute": "header.host", "operator": "contains", "value": ":8080"}}}, target("port")),
		path("redirect", m{"filters": []m{{"attribute": "is_bot", "operator": "equals", "value": "true"}}}, target("bot")),
		path("redirect", m{"stream_type": "default"}, target("rest")))
	w.campaign("capped-path", nil, path("redirect", m{"daily_cap": 3}, target("capped")),
		path("redirect", m{"stream_type": "default"}, target("rest")))
	w.campaign("weighted", m{"flow_rotation": "weight"}, path("redirect", m{"weight": 1}, target("one")),
		path("redirect", m{"weight": 3}, target("three")), path("redirect", m{"weight": 0}, target("never")))
	w.reload()
	for name, e := range map[string]edit{
		"german": peer("5.9.0.1:1"), "port": host(sharedHost + ":8080"), "bot": header("User-Agent", "curl/8.0"),
		"rest": header("X-None", "1"),
	} {
		if got := w.location("/filtered", e); got != "https://"+name+".test/" {
			t.Errorf("%s: the visitor is sent to %s, want the path of this name", name, got)
		}
	}
	if got := w.location("/filtered?k=V"); got != "https://param.test/" {
		t.Errorf("a visitor with the parameter is sent to %s, want https://param.test/", got)
	}
	counts := map[string]int{}
	for range 5 {
		counts[w.location("/capped-path")]++
	}
	if counts["https://capped.test/"] != 3 || counts["https://rest.test/"] != 2 {
		t.Errorf("the visitors were sent to %v, want 3 to the capped path and 2 to the rest", counts)
	}
	counts = map[string]int{}
	for range 2000 {
		counts[w.location("/weighted")]++
	}
	// Three quarters of 2000, with room for eight standard deviations.
	if n := counts["https://three.test/"]; n < 1345 || n > 1655 || counts["https://never.test/"] != 0 {
		t.Errorf("the visitors were sent to %v, want about three quarters to three.test and none to never.test", counts)
	}
}

func TestTrackCosts(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	tests := []struct {
		alias, model, value, loss       string
		cost, unique, conversion, share string
	}{
		{"cost-cpc", "cpc", "0.5", "0", "0.5", "0", "0", "0"},
		{"cost-cpm", "cpm", "2.5", "0", "0.0025", "0", "0", "0"},
		{"cost-cpuc", "cpuc", "0.4", "20", "0", "0.5", "0", "0"},
		{"cost-cpa", "cpa", "7", "0", "0", "0", "7", "0"},
		{"cost-cps", "cps", "7", "50", "0", "0", "7", "0"},
		{"cost-revshare", "revshare", "30", "0", "0", "0", "0", "30"},
		{"cost-manual", "manual", "3", "0", "0", "0", "0", "0"},
		{"cost-auto", "auto", "9", "50", "0.02", "0", "0", "0"},
		{"cost-lossy", "cpc", "1", "50", "2", "0", "0", "0"},
	}
	for _, tt := range tests {
		w.campaign(tt.alias, m{"cost_model": tt.model, "cost_value": tt.value, "traffic_loss_pct": tt.loss},
			path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	}
	w.reload()
	for _, tt := range tests {
		w.location("/" + tt.alias + "?bid=0.01")
		c := w.spool.last()
		for i, got := range []decimal.Decimal{c.Cost, c.UniqueCost, c.ConversionCost, c.RevenueShare} {
			want := []string{tt.cost, tt.unique, tt.conversion, tt.share}[i]
			if !got.Equal(decimal.RequireFromString(want)) {
				t.Errorf("%s: figure %d is %s, want %s", tt.alias, i, got, want)
			}
		}
	}
	w.location("/cost-auto?bid={cost}")
	if c := w.spool.last(); !c.Cost.IsZero() {
		t.Errorf("a macro as the cost is recorded as %s, want 0", c.Cost)
	}
}

func TestTrackBindsVisitors(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	url := func(n string) m { return m{"url": "https://" + n + ".test/", "weight": 1} }
	w.campaign("bound-visitor", m{"bind_visitors": "streams", "flow_rotation": "weight"}, path("redirect", nil, url("a")),
		path("redirect", nil, url("b")), path("redirect", nil, url("c")), path("redirect", nil, url("d")))
	w.reload()
	for i := range 20 { // recognized by cookie, from changing addresses
		first := w.get("/bound-visitor", peer("8.8.4."+itoa(i)+":1"))
		repeated := w.location("/bound-visitor", withCookies(first.Cookies()), peer("9.9.9."+itoa(i)+":1"))
		if repeated != first.Header.Get("Location") {
			t.Fatalf("a visitor recognized by cookie was sent to %s, then to %s", first.Header.Get("Location"), repeated)
		}
		if c := w.spool.last(); c.Arrival != "cookie" {
			t.Errorf("the visitor is recognized by %q, want cookie", c.Arrival)
		}
	}
	for i := range 20 { // recognized by fingerprint, without cookies
		first := w.location("/bound-visitor", peer("1.1.4."+itoa(i)+":1"))
		if repeated := w.location("/bound-visitor", peer("1.1.4."+itoa(i)+":2")); repeated != first {
			t.Fatalf("a visitor recognized by fingerprint was sent to %s, then to %s", first, repeated)
		}
	}
}

func itoa(n int) string { return decimal.NewFromInt(int64(n)).String() }

// ownListener marks a request as sent to the service's own listener without TLS.
func ownListener(certificate bool) edit {
	return func(r *http.Request) {
		*r = *r.WithContext(FirstHop(r.Context(), func(host string) bool { return certificate && host == sharedHost }))
	}
}

func TestTrackCookiesAndHTTPS(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	w.campaign("summer-sale", nil, path("redirect", nil, m{"url": "https://a.test/", "weight": 1}))
	w.reload()
	behind := []edit{peer("10.1.1.1:1"), header("X-Forwarded-For", "8.8.8.8")}
	for _, tt := range []struct {
		name   string
		edits  []edit
		status int
		secure bool
	}{
		{"plain", nil, 302, false},
		{"stranger says https", []edit{header("X-Forwarded-Proto", "https")}, 302, false},
		{"stranger says http", []edit{header("X-Forwarded-Proto", "http")}, 302, false},
		{"proxy says https", append(behind, header("X-Forwarded-Proto", "https")), 302, true},
		{"proxy says http", append(behind, header("X-Forwarded-Proto", "http")), 307, false},
		{"own listener", []edit{ownListener(true)}, 307, false},
		{"own listener, no certificate", []edit{ownListener(false)}, 302, false},
		{"own listener, proxy says https", append(behind, header("X-Forwarded-Proto", "https"), ownListener(true)), 302, true},
	} {
		res := w.get("/summer-sale?a=b", tt.edits...)
		if res.StatusCode != tt.status {
			t.Errorf("%s: the status is %d, want %d", tt.name, res.StatusCode, tt.status)
		}
		if tt.status == 307 && res.Header.Get("Location") != "https://"+sharedHost+"/summer-sale?a=b" {
			t.Errorf("%s: the visitor is sent to %s, want the same address with https", tt.name, res.Header.Get("Location"))
		}
		for _, c := range res.Cookies() {
			if c.Secure != tt.secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Domain != "" {
				t.Errorf("%s: the cookie is %v, want HttpOnly, Lax, no domain and secure: %v", tt.name, c, tt.secure)
			}
		}
	}
	for _, target := range []string{"/postback?clickid=x", "/pixel.gif?clickid=x"} {
		if res := w.get(target, ownListener(true)); res.StatusCode != 200 {
			t.Errorf("%s: %d, want 200 and no redirect to https, because the sender would not follow it", target, res.StatusCode)
		}
	}
	res := w.get("/summer-sale", header("Cookie", "sy_v="+strings.Repeat("z", 22)+"; sy_c=%%%; x; =; sy_b"))
	if res.StatusCode != 302 {
		t.Errorf("with malformed cookies, the status is %d, want 302", res.StatusCode)
	}
}

func TestTrackUniqueKeys(t *testing.T) {
	t.Parallel()
	w := newEnv(t)
	url := m{"url": "https://a.test/?u={is_unique}", "weight": 1}
	w.campaign("unique-ip", m{"uniqueness_method": "ip"}, path("redirect", nil, url))
	w.campaign("unique-param", m{"uniqueness_method": "param", "uniqueness_param": "uid"}, path("redirect", nil, url))
	w.campaign("unique-both", nil, path("redirect", nil, url))
	w.reload()
	key := func(target string, edits ...edit) [16]byte {
		w.location(target, edits...)
		return w.spool.last().UniqueKey
	}
	other := header("User-Agent", strings.Replace(chrome, "138", "137", 1))
	away := peer("4.4.4.4:1")
	if key("/unique-ip") != key("/unique-ip", other) || key("/unique-ip") == key("/unique-ip", away) {
		t.Error("by the address, the key depends on more or less than the address")
	}
	if key("/unique-both") == key("/unique-both", other) || key("/unique-both?again=1") != key("/unique-both") {
		t.Error("by default, the key depends on more or less than the address and the user agent")
	}
	if key("/unique-param?uid=1") != key("/unique-param?uid=1", away) || key("/unique-param?uid=1") == key("/unique-param?uid=2") ||
		key("/unique-param") == key("/unique-param", away) {
		t.Error("by a parameter, the key depends on more or less than the parameter or, if that is missing, the address")
	}
	if key("/unique-ip") == key("/unique-both") {
		t.Error("campaigns share a key")
	}
	if a, b := w.location("/unique-ip", peer("7.7.7.7:1")), w.location("/unique-ip", peer("7.7.7.7:1")); a != "https://a.test/?u=1" ||
		b != "https://a.test/?u=0" {
		t.Errorf("the visitor was sent to %s, then to %s, want u=1, then u=0", a, b)
	}
}
