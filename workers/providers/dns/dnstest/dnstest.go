// Package dnstest has fakes of DNS providers, each in the wire format of its provider.
package dnstest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/libdns/libdns"

	"switchyard/workers/providers/rest/resttest"
)

// Zones has the zones and records that all providers share. A record's name is relative to its zone, "@" for the apex. Names
// in the data of records end with a dot.
type Zones struct {
	resttest.Faults

	mu    sync.Mutex
	order []string
	zones map[string][]libdns.RR

	refuse  *Refusal      // refuses all requests; nil: they are served
	missing int           // requests that must still arrive before any is answered
	all     chan struct{} // closed when these requests have arrived; nil: requests do not wait
}

// NewZones returns zones with the given records. order is the order in which zones are listed.
func NewZones(zones map[string][]libdns.RR, order ...string) *Zones {
	zs := &Zones{zones: map[string][]libdns.RR{}, order: order}
	for _, z := range order {
		zs.zones[z] = slices.Clone(zones[z])
	}
	return zs
}

// Records returns the records of a zone.
func (zs *Zones) Records(zone string) []libdns.RR {
	zs.mu.Lock()
	defer zs.mu.Unlock()
	return slices.Clone(zs.zones[zone])
}

// Together makes the next requests wait for each other. They are answered only when n of them have arrived.
func (zs *Zones) Together(n int) {
	zs.mu.Lock()
	defer zs.mu.Unlock()
	zs.missing, zs.all = n, make(chan struct{})
}

// waitForAll waits for the requests of Together. ok is false if the caller gave up.
func (zs *Zones) waitForAll(ctx context.Context) (ok bool) {
	zs.mu.Lock()
	if zs.missing > 0 {
		if zs.missing--; zs.missing == 0 {
			close(zs.all)
		}
	}
	all := zs.all
	zs.mu.Unlock()
	if all == nil {
		return true
	}
	select {
	case <-all:
		return true
	case <-ctx.Done():
		return false
	}
}

// add adds a record. ok is false if the record exists or conflicts with another one of its name.
func (zs *Zones) add(zone string, r libdns.RR) (ok bool) {
	points := []string{"A", "AAAA", "CNAME", "ALIAS"}
	for _, have := range zs.zones[zone] {
		lone := have.Type == "CNAME" || have.Type == "ALIAS" || r.Type == "CNAME" || r.Type == "ALIAS"
		switch {
		case have.Name != r.Name:
		case have.Type == r.Type && have.Data == r.Data,
			lone && slices.Contains(points, have.Type) && slices.Contains(points, r.Type):
			return false
		}
	}
	zs.zones[zone] = append(zs.zones[zone], r)
	return true
}

func (zs *Zones) hasZone(zone string) bool { return slices.Contains(zs.order, zone) }

// Fake is the fake of a provider.
type Fake struct {
	credentials func() map[string]string
	// MinTTL is the shortest TTL that the provider accepts, in seconds.
	MinTTL int
	// Quotes says that the provider puts quotes around texts.
	Quotes bool
	serve  func(zs *Zones, c *call)
}

// Credentials returns the credentials that the provider accepts.
func (f Fake) Credentials() map[string]string { return f.credentials() }

// canaries returns secrets that a test can find wherever they leak.
func canaries(fields ...string) func() map[string]string {
	return withSecrets(nil, fields...)
}

// withSecrets returns canaries together with open fields, which are not secret.
func withSecrets(open map[string]string, secrets ...string) func() map[string]string {
	return func() map[string]string { return resttest.Canaries(open, secrets...) }
}

// Fakes has the providers by name.
var Fakes = map[string]Fake{
	"cloudflare": cloudflare, "hetzner": hetzner, "digitalocean": digitalOcean, "porkbun": porkbun, "bunny": bunny, "desec": desec,
	"linode": linode, "vultr": vultr, "dnsimple": dnsimple, "godaddy": godaddy, "gandi": gandi, "netlify": netlify,
	"powerdns": powerDNS, "ovh": ovh, "namecheap": namecheap, "route53": route53, "googleclouddns": googleCloud, "azure": azure,
}

// Serve starts a server that serves each fake at the paths that begin with its name.
func Serve(tb testing.TB, zs *Zones) *httptest.Server {
	tb.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		fake, ok := Fakes[name]
		if !ok {
			http.NotFound(rw, r)
			return
		}
		if !zs.waitForAll(r.Context()) {
			return
		}
		fault, ok := zs.Next(r)
		if !ok || !zs.Answer(rw, r, fault, resttest.FailureForms{}) {
			return
		}
		zs.mu.Lock()
		defer zs.mu.Unlock()
		c := &call{ResponseWriter: rw, r: r, path: "/" + path, credentials: fake.Credentials()}
		if flaw := c.flaw(name); flaw != "" {
			c.refuse(flaw)
			return
		}
		if !c.refused(zs.refuse) {
			fake.serve(zs, c)
		}
	}))
	tb.Cleanup(s.Close)
	return s
}

type object = map[string]any

// call is a request to a fake.
type call struct {
	http.ResponseWriter
	r           *http.Request
	path        string // without the provider's name
	credentials map[string]string
}

func (c *call) json(status int, v any) {
	resttest.JSON(c, status, v)
}

// body decodes the JSON body of the request into *into. It refuses unknown members.
func (c *call) body(into any) bool {
	d := json.NewDecoder(c.r.Body)
	d.DisallowUnknownFields()
	return d.Decode(into) == nil
}

// matches reports whether a call has a method and a path. A star in the pattern matches any one part of the path. parts has the
// matched parts.
func (c *call) matches(method, pattern string) (parts []string, ok bool) {
	have, want := strings.Split(c.path, "/"), strings.Split(pattern, "/")
	if c.r.Method != method || len(have) != len(want) {
		return nil, false
	}
	for i := range want {
		switch {
		case want[i] == "*":
			parts = append(parts, have[i])
		case want[i] != have[i]:
			return nil, false
		}
	}
	return parts, true
}

// number returns a number of the query, or fallback.
func (c *call) number(name string, fallback int) int {
	n, err := strconv.Atoi(c.r.URL.Query().Get(name))
	if err != nil {
		return fallback
	}
	return n
}

// page returns page n of a list, counted from 1, and the number of pages.
func page[T any](list []T, n, size int) (part []T, pages int) {
	pages = (len(list) + size - 1) / size
	from := min(max(n-1, 0)*size, len(list))
	return list[from:min(from+size, len(list))], pages
}

// full returns the full name of a record without a dot at the end.
func full(name, zone string) string {
	if name == "@" || name == "" {
		return zone
	}
	return name + "." + zone
}

// short returns the name of a record relative to its zone.
func short(name, zone string) string {
	name = strings.TrimSuffix(name, ".")
	if name == zone || name == "" || name == "@" {
		return "@"
	}
	return strings.TrimSuffix(name, "."+zone)
}

// withoutDot returns a record's data without the dot at its end, for providers that write names this way.
func withoutDot(r libdns.RR) string { return strings.TrimSuffix(r.Data, ".") }

// dotted returns data in the form in which Zones has them: names end with a dot.
func dotted(kind, data string) string {
	if kind == "CNAME" || kind == "ALIAS" || kind == "NS" {
		return strings.TrimSuffix(data, ".") + "."
	}
	return data
}
