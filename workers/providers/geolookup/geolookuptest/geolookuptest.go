// Package geolookuptest has fakes of the geo databases: MaxMind, IPinfo with its three kinds of plans, ipdata and IP2Location.io. source.md
// says where the forms of their answers come from.
package geolookuptest

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"

	"switchyard/workers/providers/rest/resttest"
)

// Key is the key that all providers accept.
const Key = "7:secret"

// The keys of IPinfo's other kinds of plans.
const (
	LiteKey   = "lite-secret"
	FormerKey = "former-secret"
)

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
		"asn":"21928","as":"T-MOBILE","net_speed":"DSL","usage_type":"MOB","mcc":"310","mnc":"260","mobile_brand":"T-Mobile","district":"-",
		"is_proxy":false,"proxy":{"is_vpn":false}}`,
	"/ip2location/192.0.2.9": `{"country_code":"NL","asn":"64500","as":"Hoster","isp":"-","city_name":"-","region_name":"-","net_speed":"-","usage_type":"DCH","mcc":"-","mnc":"-","mobile_brand":"-","is_proxy":true,
		"proxy":{"is_vpn":true,"is_data_center":true}}`,
}

// Refusal is an error answer of a provider, from the source that source.md names.
type Refusal struct {
	Status int
	Body   string
	Header [2]string
}

// The errors by the provider's name. Unknown has the errors for an address that the provider does not know or does not accept.
var (
	BadKey = map[string][]Refusal{
		"maxmind": {
			maxMind(http.StatusUnauthorized, "AUTHORIZATION_INVALID"), maxMind(http.StatusUnauthorized, "ACCOUNT_ID_UNKNOWN"),
			maxMind(http.StatusPaymentRequired, "INSUFFICIENT_FUNDS"), maxMind(http.StatusForbidden, "PERMISSION_REQUIRED"),
		},
		"ipinfo":      {{Status: http.StatusForbidden, Body: `{"status":403,"error":{"title":"Unknown token","message":"Please ensure you've entered your token correctly."}}`}},
		"ipdata":      {{Status: http.StatusUnauthorized, Body: `{"message":"You have not provided a valid API Key."}`}, {Status: http.StatusForbidden, Body: `{"message":"You have exceeded your daily quota."}`}},
		"ip2location": {{Status: http.StatusBadRequest, Body: `{"error":{"error_code":10001,"error_message":"Invalid API key or insufficient credit."}}`}, {Status: http.StatusUnauthorized, Body: `{"error":{"error_code":10000,"error_message":"API key is required."}}`}},
	}
	Busy = map[string][]Refusal{
		"maxmind":     {{Status: http.StatusTooManyRequests}},
		"ipinfo":      {{http.StatusTooManyRequests, `{"status":429,"error":{"title":"Rate limit exceeded","message":"You've hit the daily limit for the unauthenticated API."}}`, [2]string{"Retry-After", "60"}}},
		"ipdata":      {{Status: http.StatusTooManyRequests, Body: `{"message":"Too Many Requests"}`}},
		"ip2location": {{Status: http.StatusTooManyRequests}},
	}
	Unknown = map[string][]Refusal{
		"maxmind":     {maxMind(http.StatusNotFound, "IP_ADDRESS_NOT_FOUND"), maxMind(http.StatusBadRequest, "IP_ADDRESS_RESERVED")},
		"ipinfo":      {{Status: http.StatusNotFound, Body: `{"status":404,"error":{"title":"Wrong ip","message":"Please provide a valid IP address"}}`}},
		"ipdata":      {{Status: http.StatusBadRequest, Body: `{"message":"192.168.1.1 is a private IP address"}`}},
		"ip2location": {{Status: http.StatusBadRequest, Body: `{"error":{"error_code":10004,"error_message":"Invalid IP address."}}`}},
	}
)

func maxMind(status int, code string) Refusal {
	return Refusal{status, `{"code":"` + code + `","error":"..."}`, [2]string{"Content-Type", "application/vnd.maxmind.com-error+json; charset=UTF-8; version=2.0"}}
}

// Providers is all providers.
type Providers struct {
	requests atomic.Int64
	refuse   atomic.Pointer[Refusal]
}

// Requests returns the number of requests.
func (all *Providers) Requests() int { return int(all.requests.Load()) }

// Refuse makes all requests fail. nil ends this.
func (all *Providers) Refuse(r *Refusal) { all.refuse.Store(r) }

// plan is one API of a provider and its key.
type plan struct {
	provider, prefix, suffix string
	key                      string
	keyOf                    func(r *http.Request) string
	query                    []string
}

func bearer(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

func basic(r *http.Request) string {
	account, license, _ := r.BasicAuth()
	return account + ":" + license
}

func parameter(name string) func(*http.Request) string {
	return func(r *http.Request) string { return r.URL.Query().Get(name) }
}

// plans has the most specific prefixes first.
var plans = []plan{
	{"maxmind", "/maxmind/geoip/v2.1/insights/", "", Key, basic, nil},
	{"ipinfo", "/ipinfo/lookup/", "", Key, bearer, nil},
	{"ipinfo", "/ipinfo/lite/", "", LiteKey, bearer, nil},
	{"ipinfo", "/ipinfo/", "/json", FormerKey, bearer, nil},
	{"ipdata", "/ipdata/", "", Key, parameter("api-key"), []string{"api-key"}},
	{"ip2location", "/ip2location/", "", Key, parameter("key"), []string{"key", "ip", "format"}},
}

// ServeHTTP refuses requests that differ from a provider's form.
func (all *Providers) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	all.requests.Add(1)
	for _, p := range plans {
		rest, hasPrefix := strings.CutPrefix(r.URL.Path, p.prefix)
		address, hasSuffix := strings.CutSuffix(rest, p.suffix)
		if !hasPrefix || !hasSuffix {
			continue
		}
		path := r.URL.Path
		if p.provider == "ip2location" {
			address, path = r.URL.Query().Get("ip"), path+r.URL.Query().Get("ip")
		}
		failed := all.refuse.Load()
		switch {
		case failed != nil:
			failed.write(rw)
		case r.Method != http.MethodGet || r.ContentLength > 0 || r.Header.Get("Accept") != "application/json" || !p.has(r.URL.Query()) || !isAddress(address):
			http.Error(rw, "the request does not have the provider's form", http.StatusNotImplemented)
		case p.keyOf(r) != p.key:
			BadKey[p.provider][0].write(rw)
		case answers[path] == "":
			Unknown[p.provider][0].write(rw)
		default:
			rw.Header().Set("Content-Type", "application/json")
			_, _ = rw.Write([]byte(answers[path]))
		}
		return
	}
	resttest.JSON(rw, http.StatusNotImplemented, map[string]any{"error": "there is no " + r.URL.Path})
}

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

// has reports whether a query has exactly the parameters of a plan, each once.
func (p plan) has(q url.Values) bool {
	for _, name := range p.query {
		if len(q[name]) != 1 {
			return false
		}
	}
	return len(q) == len(p.query)
}

func (f Refusal) write(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", "application/json")
	if f.Header[0] != "" {
		rw.Header().Set(f.Header[0], f.Header[1])
	}
	rw.WriteHeader(f.Status)
	_, _ = rw.Write([]byte(f.Body))
}
