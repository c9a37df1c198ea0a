package token

import "testing"

func TestIsURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]bool{
		"https://a.example": true, "HTTP://a.example/p?q={clickid}#f": true, "https://{param.host}/x": true,
		"https://a.example/{date:YYYY-MM-DD,UTC}": true, "http://[::1]:80/": true, "http://ümlaut.example/": true,
		"": false, "a.example": false, "//a.example": false, "ftp://a.example": false, "javascript:alert(1)": false,
		"https://": false, "https:///x": false, "https://a b": false, "https://a\n.example": false, "https://a.example:x": false,
	} {
		if got := IsURL(url); got != want {
			t.Errorf("IsURL(%q) returns %t, want %t", url, got, want)
		}
	}
}

// TestLeadsTo checks that an address leads to another address if it has the same host, however the host is written, and port 80,
// port 443 or the other address's port.
func TestLeadsTo(t *testing.T) {
	t.Parallel()
	for other, tries := range map[string]map[string]bool{
		"https://app.example": {
			"https://app.example/x": true, "http://APP.example./": true, "https://app.example:80?x": true, "https://app.example:0443": true,
			"https://app.example:8443": false, "https://b.app.example": false, "https://app.example.org": false,
			"https://127.0.0.1": false, "https://1.app": false,
		},
		"http://127.0.0.1:8080": {
			"http://127.0.0.1:8080/x": true, "http://127.1:8080": true, "http://2130706433:8080": true, "http://0x7f.1:8080": true,
			"http://127.0.0.1": true, "http://127.0.0.1:008080": true, "http://[::ffff:127.0.0.1]:8080": true, "http://127.0.0.2:8080": false, "http://127.0.0.1:8081": false, "http://localhost:8080": false,
		},
		"http://[::1]:8080": {"http://[::1]:8080": true, "http://[0:0::1]:8080": true, "http://[::2]:8080": false},
	} {
		for address, want := range tries {
			if got := LeadsTo(address, other); got != want {
				t.Errorf("LeadsTo(%s, %s) returns %t, want %t", address, other, got, want)
			}
		}
	}
}

func TestASCIIHost(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://магазин.рф/?c={clickid}":    "https://xn--80aairftm.xn--p1ai/?c={clickid}",
		"HTTP://Bücher.example:8080/ä?ö=ü#ß": "HTTP://xn--bcher-kva.example:8080/ä?ö=ü#ß",
		"https://faß.example":                "https://xn--fa-hia.example",
		"https://例え。テスト/":                    "https://xn--r8jz45g.xn--zckzah/",
		"https://ÜBER.example?x":             "https://xn--ber-goa.example?x",
		"https://a.example/ü":                "https://a.example/ü",
		"https://xn--80aairftm.xn--p1ai/":    "https://xn--80aairftm.xn--p1ai/",
		"https://-ü.example/":                "https://-ü.example/",
		"https://ü/\u2044@a.example":         "https://xn--tda/\u2044@a.example",
		"https://a.example\uff0fevil.test/":  "https://a.example\uff0fevil.test/",
		"https://u:ü@a.example/":             "https://u:ü@a.example/",
		"https://{param.host}.ü.example/":    "https://{param.host}.ü.example/",
		"магазин.рф":                         "магазин.рф",
		"ftp://магазин.рф":                   "ftp://магазин.рф",
		"":                                   "",
	} {
		got := ASCIIHost(address)
		if got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
		if again := ASCIIHost(got); again != got {
			t.Errorf("ASCIIHost(%s) returns %s, and for this address %s, want the same address", address, got, again)
		}
	}
}
