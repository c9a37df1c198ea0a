package geolookup_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/geolookup"
	"switchyard/workers/providers/geolookup/geolookuptest"
)

const key = geolookuptest.Key

func newClient(t *testing.T) (*geolookuptest.Providers, *geolookup.Client) {
	t.Helper()
	w := &geolookuptest.Providers{}
	server := httptest.NewTLSServer(w)
	t.Cleanup(server.Close)
	return w, geolookup.New(geolookup.Options{Egress: egresstest.Client(t, server, egress.Options{}), URL: server.URL})
}

// TestLookup: the answers of all providers are converted to the same words.
func TestLookup(t *testing.T) {
	t.Parallel()
	w, c := newClient(t)
	for _, p := range models.GeoProviders {
		phone := models.Place{
			Country: "US", Region: "California", City: "Los Angeles", ISP: "T-Mobile USA", ASN: 21928, MobileOperator: "T-Mobile USA",
			ConnectionType: "cellular", ProxyKind: "none",
		}
		if p.Name == "ip2location" { // it reports the carrier's brand
			phone.MobileOperator = "T-Mobile"
		}
		if got, err := c.Lookup(t.Context(), p.Name, key, geolookup.Known); err != nil || got != phone {
			t.Errorf("%s: %+v, %v", p.Name, got, err)
		}
		got, err := c.Lookup(t.Context(), p.Name, key, netip.MustParseAddr("192.0.2.9"))
		if err != nil || got.Country != "NL" || got.ISP != "Hoster" || got.ProxyKind != "vpn" || got.MobileOperator != "" {
			t.Errorf("%s, proxy: %+v, %v", p.Name, got, err)
		}
		if got, err := c.Lookup(t.Context(), p.Name, key, netip.MustParseAddr("2001:db8::1")); err != nil || got != (models.Place{}) {
			t.Errorf("%s, unknown address: %+v, %v", p.Name, got, err)
		}
		if _, err := c.Lookup(t.Context(), p.Name, "7:wrong", geolookup.Known); !errors.Is(err, geolookup.ErrRefused) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("%s, wrong key: %v", p.Name, err)
		}
	}
	w.Refuse(&geolookuptest.Refusal{Status: http.StatusBadGateway})
	for _, p := range models.GeoProviders {
		if _, err := c.Lookup(t.Context(), p.Name, key, geolookup.Known); err == nil {
			t.Errorf("%s: no error for a provider that is down", p.Name)
		}
	}
	w.Refuse(&geolookuptest.Refusal{Status: http.StatusOK, Body: "<html>"})
	for _, p := range models.GeoProviders {
		if _, err := c.Lookup(t.Context(), p.Name, key, geolookup.Known); err == nil {
			t.Errorf("%s: no error for an answer that is not JSON", p.Name)
		}
	}
	w.Refuse(nil)
	if _, err := c.Lookup(t.Context(), "nobody", key, geolookup.Known); err == nil {
		t.Error("Lookup returns no error for an unknown provider")
	}
}

// TestErrors: the documented errors of each provider are distinguished.
func TestErrors(t *testing.T) {
	t.Parallel()
	w, c := newClient(t)
	for _, p := range models.GeoProviders {
		for want, list := range map[error][]geolookuptest.Refusal{
			geolookup.ErrRefused: geolookuptest.BadKey[p.Name], geolookup.ErrBusy: geolookuptest.Busy[p.Name], nil: geolookuptest.Unknown[p.Name],
		} {
			if len(list) == 0 {
				t.Errorf("%s has no errors", p.Name)
			}
			for _, refusal := range list {
				w.Refuse(&refusal)
				place, err := c.Lookup(t.Context(), p.Name, key, geolookup.Known)
				if !errors.Is(err, want) || place != (models.Place{}) {
					t.Errorf("%s, %s: %+v, %v", p.Name, refusal.Body, place, err)
				}
			}
		}
	}
}

// TestPlansOfIPinfo: keys of IPinfo's plan Lite and of its former plans, such as Basic, are accepted. The client tries the APIs
// once for each key.
func TestPlansOfIPinfo(t *testing.T) {
	t.Parallel()
	w, c := newClient(t)
	for k, want := range map[string]models.Place{
		geolookuptest.LiteKey:   {Country: "US", ISP: "T-Mobile USA", ASN: 21928},
		geolookuptest.FormerKey: {Country: "US", Region: "California", City: "Los Angeles", ISP: "T-Mobile USA", ASN: 21928},
	} {
		for range 2 {
			if got, err := c.Lookup(t.Context(), "ipinfo", k, geolookup.Known); err != nil || got != want {
				t.Errorf("%s: %+v, %v", k, got, err)
			}
		}
	}
	// The APIs are tried in the order Core, former plans, Lite. The second look-up asks only the API that was found.
	if w.Requests() != 3+1+2+1 {
		t.Errorf("%d requests", w.Requests())
	}
	got, err := c.Lookup(t.Context(), "ipinfo", geolookuptest.FormerKey, netip.MustParseAddr("192.0.2.9"))
	if want := (models.Place{Country: "NL", ISP: "Hoster", ASN: 64500, ProxyKind: "vpn"}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}
