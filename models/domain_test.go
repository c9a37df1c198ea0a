package models_test

import (
	"strings"
	"testing"

	"switchyard/models"
)

func TestHostOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"go.example.com": "go.example.com", "GO.Example.COM.": "go.example.com", "go.example.com\n": "go.example.com",
		"https://go.example.com:8443/a?b#c": "go.example.com", "//go.example.com/": "go.example.com",
		"http://user:pass@go.example.com": "go.example.com", "go.example.com?x": "go.example.com",
		"bücher.example": "xn--bcher-kva.example", "xn--bcher-kva.example": "xn--bcher-kva.example",
		"a-b.c1.example": "a-b.c1.example",
	} {
		if got, ok := models.HostOf(text); !ok || got != want {
			t.Errorf("%q is %q, %t, want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "localhost", "192.0.2.1", "https://192.0.2.1/", "[2001:db8::1]:80", "2001:db8::1", "1.2.3", "a..example",
		"-a.example", "a-.example", "a_b.example", "a b.example", "*.example.com", ".example.com", "a.exa\x00mple",
		strings.Repeat("a", 64) + ".example", strings.Repeat("abc.", 80) + "example", "https://", "a.example:x:y",
	} {
		if got, ok := models.HostOf(text); ok {
			t.Errorf("%q is accepted as %q", text, got)
		}
	}
}

func TestBareHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"": "", ":80": "", ".": "", "a.test": "a.test", "A.Test.:8080": "a.test", "a.test:": "a.test", "127.0.0.1:1": "127.0.0.1",
		"[::1]:80": "::1", "[::1]": "::1", "::1": "::1", "[FE80::1]:": "fe80::1", "]:80": "]", "[": "", "[]:1": "", "a:b:c": "a:b:c",
	} {
		if got := models.BareHost(host); got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
	}
}

func TestIsApex(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"shop.com": true, "go.shop.com": false, "shop.co.uk": true, "co.uk": false, "mine.github.io": true, "xn--bcher-kva.example": true,
	} {
		if got := models.IsApex(host); got != want {
			t.Errorf("IsApex(%s) returns %t, want %t", host, got, want)
		}
	}
}

// TestReserves checks that a host of the install reserves its registered name with all hosts below. Without such a name it
// reserves only itself.
func TestReserves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		own, host string
		want      bool
	}{
		{"https://app.switch.com:8443/x", "app.switch.com", true},
		{"https://app.switch.com", "switch.com", true},
		{"https://app.switch.com", "evil.switch.com", true},
		{"https://app.switch.com", "a.b.switch.com", true},
		{"https://app.switch.com", "notswitch.com", false},
		{"https://app.switch.com", "com", false},
		{"track.switch.co.uk", "x.switch.co.uk", true},
		{"track.switch.co.uk", "other.co.uk", false},
		{"mine.herokuapp.com", "x.mine.herokuapp.com", true},
		{"mine.herokuapp.com", "other.herokuapp.com", false},
		{"http://localhost:8080", "localhost", true},
		{"http://localhost:8080", "links.localhost", false},
		{"http://app.links.localhost", "x.links.localhost", true},
		{"http://app.links.localhost", "other.localhost", false},
		{"http://127.0.0.1:8080", "127.0.0.1", true},
		{"http://127.0.0.1:8080", "x.0.1", false},
		{"http://[::1]:8080", "x.example", false},
		{"github.io", "mine.github.io", false},
		{"", "", false},
		{"", "x.example", false},
	} {
		if got := models.Reserves(c.own, c.host); got != c.want {
			t.Errorf("Reserves(%q, %q) returns %t, want %t", c.own, c.host, got, c.want)
		}
	}
}
