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
			t.Errorf("%q: %v", url, got)
		}
	}
}

// TestLeadsTo checks that an address leads to another address's host in every notation, and to no other host or port.
func TestLeadsTo(t *testing.T) {
	t.Parallel()
	for own, tries := range map[string]map[string]bool{
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
			if got := LeadsTo(address, own); got != want {
				t.Errorf("%s to %s: %v", address, own, got)
			}
		}
	}
}
