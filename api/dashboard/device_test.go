package dashboard_test

import (
	"fmt"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/models"
)

// TestKnownDevice: a browser on which a person signed in before can still sign in while strangers guess, even from the same address.
// Its own wrong passwords lock only this browser out.
func TestKnownDevice(t *testing.T) {
	t.Parallel()
	s := behindProxy(t)
	const home = "203.0.113.1"
	known := withPassword(t, s, "ana@example.com", models.RoleOwner)
	known.do("DELETE", "/app/api/session", nil).want(t, 200, "")
	in := func(p *person, password, address string) answer {
		return p.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": password}, "X-Forwarded-For", address)
	}
	for n := range 5 {
		in(browserOf(t, s), wrongPassword, fmt.Sprintf("198.51.%d.1", n)).want(t, 401, "wrong_sign_in")
	}
	stranger := browserOf(t, s)
	for range 30 {
		stranger.do("POST", "/app/api/links/look", map[string]any{"token": "none"}, "X-Forwarded-For", home).want(t, 404, "link_gone")
	}
	in(stranger, password, home).want(t, 429, "rate_limited")
	in(stranger, password, "192.0.2.1").want(t, 429, "rate_limited")
	in(known, password, home).want(t, 200, "")
	for range 5 {
		in(known, wrongPassword, home).want(t, 401, "wrong_sign_in")
	}
	in(known, password, home).want(t, 429, "rate_limited")
}

// TestDeviceFailsAlone: wrong passwords of a known browser do not affect the person's other browsers.
func TestDeviceFailsAlone(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	known := withPassword(t, s, "ana@example.com", models.RoleOwner)
	body := map[string]any{"email": "ana@example.com", "password": wrongPassword}
	for range 5 {
		known.do("POST", "/app/api/session", body).want(t, 401, "wrong_sign_in")
	}
	body["password"] = password
	known.do("POST", "/app/api/session", body).want(t, 429, "rate_limited")
	browserOf(t, s).do("POST", "/app/api/session", body).want(t, 200, "")
}

// TestDeviceIsOfOnePerson: a device cookie of another person, a changed cookie and an expired cookie have no effect.
func TestDeviceIsOfOnePerson(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ana := withPassword(t, s, "ana@example.com", models.RoleOwner)
	ben := withPassword(t, s, "ben@example.com", models.RoleOwner)
	only := func(p *person) (name, value string) {
		for name, value = range p.devices {
			return name, value
		}
		t.Fatal("no device cookie")
		return "", ""
	}
	name, right := only(ana)
	_, others := only(ben)
	for range 5 {
		browserOf(t, s).do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": wrongPassword}).want(t, 401, "wrong_sign_in")
	}
	ends, rest, _ := strings.Cut(right, ".")
	id, _, _ := strings.Cut(rest, ".")
	for what, c := range map[string]struct {
		value  string
		status int
	}{
		"the person's own cookie": {right, 200}, "another person's cookie": {others, 429}, "no cookie": {"", 429},
		"a cookie with a later end": {"9" + ends + "." + rest, 429}, "a cookie with an earlier end": {"1." + rest, 429},
		"a cookie with another id": {ends + ".x" + rest, 429}, "a cookie without a signature": {ends + "." + id, 429},
	} {
		p := browserOf(t, s)
		p.devices[name] = c.value
		got := p.do("POST", "/app/api/session", map[string]any{"email": "ana@example.com", "password": password})
		if got.status != c.status {
			t.Errorf("a sign-in with %s gets the status %d, want %d", what, got.status, c.status)
		}
	}
	p := browserOf(t, s)
	p.devices[name] = right
	p.do("GET", "/app/api/session", nil).want(t, 401, "unauthenticated")
}
