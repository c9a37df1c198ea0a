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
)

const key = "7:secret"

// The keys of IPinfo's other kinds of plans.
const (
	liteKey   = "lite-secret"
	formerKey = "former-secret"
)

// answers are the documented answers of the providers, for the address of a phone and the address of a proxy.
var answers = map[string]string{
	"/maxmind/geoip/v2.1/insights/8.8.8.8": `{"country":{"iso_code":"US","names":{"en":"United States"}},
		"subdivisions":[{"iso_code":"CA","names":{"en":"California","de":"Kalifornien"}}],"city":{"names":{"en":"Los  Angeles"}},
		"traits":{"isp":"T-Mobile USA","autonomous_system_number":21928,"autonomous_system_organization":"T-MOBILE",
		"connection_type":"Cellular","user_type":"cellular","is_anonymous":false},"anonymizer":{"is_anonymous":false}}`,
	"/maxmind/geoip/v2.1/insights/192.0.2.9": `{"country":{"iso_code":"NL"},"city":{},"traits":{"isp":"Hoster","connection_type":"Corporate",
		"is_anonymous":true,"is_hosting_provider":true},"anonymizer":{"is_anonymous":true,"is_anonymous_vpn":true}}`,

	"/ipinfo/lookup/8.8.8.8": `{"ip":"8.8.8.8","geo":{"city":"Los Angeles","region":"California","region_code":"CA","country_code":"US"},
		"as":{"asn":"AS21928","name":"T-Mobile USA","domain":"t-mobile.com","type":"isp"},"mobile":{"name":"T-Mobile USA","mcc":"310","mnc":"260"},
		"is_anonymous":false,"is_hosting":false,"is_mobile":true,"is_satellite":false}`,
	"/ipinfo/lookup/192.0.2.9": `{"geo":{"country_code":"NL"},"as":{"asn":"AS64500","name":"Hoster"},"anonymous":{"is_vpn":true},
		"is_anonymous":true,"is_hosting":true}`,

	"/ipinfo/8.8.8.8/json": `{"ip":"8.8.8.8","hostname":"dns.google","city":"Los Angeles","region":"California","country":"US",
		"loc":"37.3860,-122.0838","org":"AS21928 T-Mobile USA","postal":"94035","timezone":"America/Los_Angeles"}`,
	"/ipinfo/192.0.2.9/json": `{"ip":"192.0.2.9","country":"NL","org":"AS64500 Hoster","asn":{"asn":"AS64500","name":"Hoster",
		"domain":"hoster.example","route":"192.0.2.0/24","type":"hosting"},"company":{"name":"Hoster","type":"hosting"},
		"privacy":{"vpn":true,"proxy":false,"tor":false,"relay":false,"hosting":true,"service":""}}`,
	"/ipinfo/lite/8.8.8.8": `{"ip":"8.8.8.8","asn":"AS21928","as_name":"T-Mobile USA","as_domain":"t-mobile.com","country_code":"US",
		"country":"United States","continent_code":"NA","continent":"North America"}`,

	"/ipdata/8.8.8.8": `{"ip":"8.8.8.8","city":"Los Angeles","region":"California","region_code":"CA","country_code":"US",
		"asn":{"asn":"AS21928","name":"T-Mobile USA","type":"isp"},"carrier":{"name":"T-Mobile USA","mcc":"310","mnc":"260"},
		"threat":{"is_tor":false,"is_vpn":false,"is_datacenter":false},"count":"1"}`,
	"/ipdata/192.0.2.9": `{"country_code":"NL","asn":{"asn":"AS64500","name":"Hoster"},"threat":{"is_vpn":true,"is_datacenter":true}}`,

	"/ip2location/8.8.8.8": `{"ip":"8.8.8.8","country_code":"US","region_name":"California","city_name":"Los Angeles","isp":"T-Mobile USA",
		"asn":"21928","as":"T-MOBILE","net_speed":"DSL","usage_type":"MOB","mobile":{"mcc":"310","mnc":"260","brand":"T-Mobile USA"},
		"is_proxy":false,"proxy":{"is_vpn":false}}`,
	"/ip2location/192.0.2.9": `{"country_code":"NL","asn":"64500","as":"Hoster","usage_type":"DCH","mobile":null,"is_proxy":true,
		"proxy":{"is_vpn":true,"is_data_center":true}}`,
}

// providers answers as the four providers do.
func providers(w http.ResponseWriter, r *http.Request) {
	path, sent := r.URL.Path, r.URL.Query().Get("key")+r.URL.Query().Get("api-key")
	if account, license, ok := r.BasicAuth(); ok {
		sent = account + ":" + license
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		sent = token
	}
	isIP2Location := strings.HasPrefix(path, "/ip2location/")
	if isIP2Location {
		path += r.URL.Query().Get("ip")
	}
	keys := map[string]string{"/ipinfo/lite/": liteKey, "/ipinfo/lookup/": key}
	right, isOther := key, true
	for prefix, k := range keys {
		if strings.HasPrefix(path, prefix) {
			right, isOther = k, false
		}
	}
	if isOther && strings.HasPrefix(path, "/ipinfo/") {
		right = formerKey
	}
	switch {
	case sent == "busy:1":
		w.WriteHeader(http.StatusTooManyRequests)
	case sent == "down:1":
		w.WriteHeader(http.StatusBadGateway)
	case sent == "odd:1":
		_, _ = w.Write([]byte(`<html>`))
	case sent != right && isIP2Location:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":{"error_code":10001,"error_message":"Invalid API key or insufficient credit."}}`))
	case sent != right:
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"code":"AUTHORIZATION_INVALID","error":"..."}`))
	case answers[path] == "":
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"code":"IP_ADDRESS_NOT_FOUND","error":"..."}`))
	default:
		_, _ = w.Write([]byte(answers[path]))
	}
}

func newClient(t *testing.T) *geolookup.Client {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(providers))
	t.Cleanup(server.Close)
	return geolookup.New(geolookup.Options{Egress: egresstest.Client(t, server, egress.Options{}), URL: server.URL})
}

// TestLookup: the answers of all providers are converted to the same words. Their errors are distinguished and do not contain
// the key.
func TestLookup(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, p := range models.GeoProviders {
		phone := models.Place{
			Country: "US", Region: "California", City: "Los Angeles", ISP: "T-Mobile USA", ASN: 21928, MobileOperator: "T-Mobile USA",
			ConnectionType: "cellular", ProxyKind: "none",
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
		for sent, want := range map[string]error{"7:wrong": geolookup.ErrRefused, "busy:1": geolookup.ErrBusy, "down:1": nil, "odd:1": nil} {
			_, err := c.Lookup(t.Context(), p.Name, sent, geolookup.Known)
			if err == nil || want != nil && !errors.Is(err, want) || strings.Contains(err.Error(), sent) {
				t.Errorf("%s, key %s: %v", p.Name, sent, err)
			}
		}
	}
	if _, err := c.Lookup(t.Context(), "nobody", key, geolookup.Known); err == nil {
		t.Error("Lookup returns no error for an unknown provider")
	}
}

// TestPlansOfIPinfo: the keys of IPinfo's plans Lite and Basic are accepted. The API of the plan is found once.
func TestPlansOfIPinfo(t *testing.T) {
	t.Parallel()
	requests := 0
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		providers(w, r)
	}))
	t.Cleanup(server.Close)
	c := geolookup.New(geolookup.Options{Egress: egresstest.Client(t, server, egress.Options{}), URL: server.URL})
	for k, want := range map[string]models.Place{
		liteKey:   {Country: "US", ISP: "T-Mobile USA", ASN: 21928},
		formerKey: {Country: "US", Region: "California", City: "Los Angeles", ISP: "T-Mobile USA", ASN: 21928},
	} {
		for range 2 {
			if got, err := c.Lookup(t.Context(), "ipinfo", k, geolookup.Known); err != nil || got != want {
				t.Errorf("%s: %+v, %v", k, got, err)
			}
		}
	}
	if requests != 3+1+2+1 {
		t.Errorf("%d requests", requests)
	}
	got, err := c.Lookup(t.Context(), "ipinfo", formerKey, netip.MustParseAddr("192.0.2.9"))
	if want := (models.Place{Country: "NL", ISP: "Hoster", ASN: 64500, ProxyKind: "vpn"}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
}
