// Package geolookup asks third-party geo databases for the place of an IP address. Each provider has an entry in the table
// providers, with its request and the form of its answer.
//
// No error contains a key.
package geolookup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"switchyard/models"
	"switchyard/models/clickattr"
	"switchyard/workers/egress"
)

// ErrRefused says that the provider does not accept the key, or that the key's quota of look-ups is used up.
var ErrRefused = errors.New("the provider refused the key")

// ErrBusy says that the provider asks for a lower rate of look-ups.
var ErrBusy = errors.New("the provider is being asked too often")

// provider describes how to call a provider.
type provider struct {
	base string // address without a path
	// target returns the path and query for an IP address.
	target func(key string, ip netip.Addr) (path string, query url.Values)
	// sign adds the key to the headers; nil: target puts the key into the query.
	sign func(key string, h http.Header)
	read func(body []byte) (models.Place, error)
	// refused reports whether an answer with a status other than 401, 402 and 403 refuses the key; nil: no such answer does.
	refused func(status int, body []byte) bool
	// next names the entry to try if this one refuses the key, for a provider with several APIs; empty: none.
	next string
}

// providers has the providers of models.GeoProviders by name, and their further APIs. The wire formats follow the providers' own
// client libraries: GeoIP2-python, ipinfo/go, ipdata/python, ip2location-io-go.
var providers = map[string]provider{
	"maxmind": {
		base: "https://geoip.maxmind.com",
		target: func(_ string, ip netip.Addr) (string, url.Values) {
			return "/geoip/v2.1/insights/" + ip.String(), nil
		},
		sign: func(key string, h http.Header) {
			account, license, _ := strings.Cut(key, ":")
			r := http.Request{Header: h}
			r.SetBasicAuth(account, license)
		},
		read: reader(readMaxMind),
	},
	"ipinfo": {
		base:   "https://api.ipinfo.io",
		target: func(_ string, ip netip.Addr) (string, url.Values) { return "/lookup/" + ip.String(), nil },
		sign:   bearer,
		read:   reader(readIPinfo),
		next:   "ipinfo of former plans",
	},
	"ipinfo of former plans": {
		base:   "https://ipinfo.io",
		target: func(_ string, ip netip.Addr) (string, url.Values) { return "/" + ip.String() + "/json", nil },
		sign:   bearer,
		read:   reader(readIPinfoFormer),
		next:   "ipinfo lite",
	},
	"ipinfo lite": {
		base:   "https://api.ipinfo.io",
		target: func(_ string, ip netip.Addr) (string, url.Values) { return "/lite/" + ip.String(), nil },
		sign:   bearer,
		read:   reader(readIPinfoLite),
	},
	"ipdata": {
		base: "https://api.ipdata.co",
		target: func(key string, ip netip.Addr) (string, url.Values) {
			return "/" + ip.String(), url.Values{"api-key": {key}}
		},
		read: reader(readIPData),
	},
	"ip2location": {
		base: "https://api.ip2location.io",
		target: func(key string, ip netip.Addr) (string, url.Values) {
			return "/", url.Values{"key": {key}, "ip": {ip.String()}, "format": {"json"}}
		},
		read: reader(readIP2Location),
		refused: func(status int, body []byte) bool { // 10001: invalid key, or no credit
			return status == http.StatusBadRequest && strings.Contains(string(body), `"error_code":10001`)
		},
	},
}

func bearer(key string, h http.Header) { h.Set("Authorization", "Bearer "+key) }

// Options are the options of a Client.
type Options struct {
	Egress *egress.Client
	// URL replaces the addresses of all providers, for tests; empty: each provider's own address.
	URL string
	// Timeout is how long one request to a provider may take; zero: 5 s.
	Timeout time.Duration
}

// Client asks providers. Safe for concurrent use.
type Client struct {
	o Options

	mu sync.Mutex
	// accepted maps a provider's name and a key to the entry of the table providers that accepts the key, unless it is the first
	// one.
	accepted map[[2]string]string
}

// maxAccepted is the maximum number of keys in accepted.
const maxAccepted = 10_000

// New makes a Client.
func New(o Options) *Client {
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	return &Client{o: o, accepted: map[[2]string]string{}}
}

// Known is an address that every provider knows, to test a key with.
var Known = netip.MustParseAddr("8.8.8.8")

// Lookup asks a provider for the place of an IP address. The place is zero if the provider does not know the address. Errors:
// ErrRefused, ErrBusy, or a description for a person.
func (c *Client) Lookup(ctx context.Context, name, key string, ip netip.Addr) (models.Place, error) {
	if !slices.ContainsFunc(models.GeoProviders, func(p models.GeoProvider) bool { return p.Name == name }) {
		return models.Place{}, fmt.Errorf("geolookup: there is no provider %q", name)
	}
	id := [2]string{name, key}
	c.mu.Lock()
	first := cmp.Or(c.accepted[id], name)
	c.mu.Unlock()
	for entry := first; ; entry = providers[entry].next {
		place, err := c.lookup(ctx, providers[entry], name, key, ip)
		if errors.Is(err, ErrRefused) && providers[entry].next != "" {
			continue
		}
		if err == nil && entry != first {
			c.mu.Lock()
			if len(c.accepted) >= maxAccepted {
				clear(c.accepted)
			}
			c.accepted[id] = entry
			c.mu.Unlock()
		}
		return place, err
	}
}

// lookup asks one entry of providers.
func (c *Client) lookup(ctx context.Context, p provider, name, key string, ip netip.Addr) (models.Place, error) {
	base := p.base
	if c.o.URL != "" {
		base = c.o.URL + "/" + name
	}
	path, query := p.target(key, ip)
	to := base + path
	if len(query) > 0 {
		to += "?" + query.Encode()
	}
	req, cancel, err := egress.Request(ctx, c.o.Timeout, http.MethodGet, to, nil)
	if err != nil {
		return models.Place{}, errors.New("the provider's address cannot be read")
	}
	defer cancel()
	req.Header.Set("Accept", "application/json")
	if p.sign != nil {
		p.sign(key, req.Header)
	}
	answer, err := c.o.Egress.Do(req)
	if err != nil {
		return models.Place{}, err
	}
	return p.answer(answer)
}

func (p provider) answer(a egress.Answer) (models.Place, error) {
	switch {
	case a.Status == http.StatusOK:
		place, err := p.read(a.Body)
		if err != nil {
			return models.Place{}, errors.New("the provider's answer has another form than documented")
		}
		return clean(place), nil
	case a.Status == http.StatusUnauthorized, a.Status == http.StatusPaymentRequired, a.Status == http.StatusForbidden,
		p.refused != nil && p.refused(a.Status, a.Body):
		return models.Place{}, ErrRefused
	case a.Status == http.StatusTooManyRequests:
		return models.Place{}, ErrBusy
	case a.Status == http.StatusNotFound, a.Status == http.StatusBadRequest:
		return models.Place{}, nil
	default:
		return models.Place{}, fmt.Errorf("the provider answered %d", a.Status)
	}
}

// maxText is the maximum length of a place's text in bytes, as in the service's own databases.
const maxText = 128

// clean converts a place to the form that clicks use.
func clean(p models.Place) models.Place {
	p.Country, _ = clickattr.Countries.Find(p.Country)
	p.ConnectionType, _ = clickattr.ConnectionTypes.Find(p.ConnectionType)
	for _, text := range []*string{&p.Region, &p.City, &p.ISP, &p.MobileOperator} {
		*text = strings.ToValidUTF8(strings.Join(strings.Fields(strings.ReplaceAll(*text, "\x00", "")), " "), "")
		if len(*text) > maxText {
			*text = strings.ToValidUTF8((*text)[:maxText], "")
		}
	}
	if p.MobileOperator != "" && p.ConnectionType == "" {
		p.ConnectionType = "cellular"
	}
	return p
}

// reader returns a function that decodes an answer.
func reader[T any](place func(answer T) models.Place) func(body []byte) (models.Place, error) {
	return func(body []byte) (models.Place, error) {
		var answer T
		if err := json.Unmarshal(body, &answer); err != nil {
			return models.Place{}, err
		}
		return place(answer), nil
	}
}
