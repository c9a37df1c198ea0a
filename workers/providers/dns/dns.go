// Package dns sets records in the DNS accounts of customers. Each provider has an entry in the table rows. Records have
// libdns' form, with names relative to their zone and "@" for the apex.
//
// A provider is called through libdns' package for it, if the package accepts our HTTP client, never changes an existing
// record, sees all records, and respects the context. Otherwise this package has its own client, and its file says why.
//
// Credentials never leave this package. No error contains one.
package dns

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/libdns/libdns"
	"golang.org/x/net/idna"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Provider is an account at a DNS provider. Zones have no dot at the end, and letters beyond ASCII in punycode.
type Provider interface {
	// Zones lists the zones that the account holds.
	Zones(ctx context.Context) ([]string, error)
	// Records lists the records with a name.
	Records(ctx context.Context, zone, name string) ([]libdns.RR, error)
	// Append adds a record and changes none.
	Append(ctx context.Context, zone string, r libdns.RR) error
}

// Options of a Client.
type Options struct {
	Egress *egress.Client
	// URL replaces the addresses of all providers, for tests; empty: each provider's own address.
	URL string
	Now func() time.Time // default time.Now
}

// Client opens DNS accounts. Safe for concurrent use.
type Client struct{ o Options }

// New makes a Client.
func New(o Options) *Client {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Client{o}
}

// row describes how to open an account at a provider of models.DNSProviders.
type row struct {
	base string // address of its API, without a slash at the end; empty: a credential says it
	open func(a rest.API, credentials map[string]string) Provider
}

// rows has the providers by name.
var rows = map[string]row{
	"cloudflare":     {"https://api.cloudflare.com/client/v4", openCloudflare},
	"hetzner":        {"https://api.hetzner.cloud/v1", openHetzner},
	"digitalocean":   {"https://api.digitalocean.com/v2", openDigitalOcean},
	"porkbun":        {"https://api.porkbun.com/api/json/v3", openPorkbun},
	"bunny":          {"https://api.bunny.net", openBunny},
	"desec":          {"https://desec.io/api/v1", openDesec},
	"linode":         {"https://api.linode.com/v4", openLinode},
	"vultr":          {"https://api.vultr.com/v2", openVultr},
	"dnsimple":       {"https://api.dnsimple.com/v2", openDNSimple},
	"godaddy":        {"https://api.godaddy.com/v1", openGoDaddy},
	"gandi":          {"https://api.gandi.net/v5/livedns", openGandi},
	"netlify":        {"https://api.netlify.com/api/v1", openNetlify},
	"powerdns":       {"", openPowerDNS},
	"namecheap":      {"https://api.namecheap.com", openNamecheap},
	"ovh":            {"", openOVH},
	"route53":        {"https://route53.amazonaws.com/2013-04-01", openRoute53},
	"googleclouddns": {"", openGoogleCloud},
	"azure":          {"", openAzure},
	"rfc2136":        {"", openServer},
}

// Open opens an account. The credentials must be complete.
func (c *Client) Open(name string, credentials map[string]string) (Provider, error) {
	p, known := models.DNSProviderNamed(name)
	r, ok := rows[name]
	if !known || !ok {
		return nil, fmt.Errorf("dns: there is no provider %q", name)
	}
	a := rest.API{Out: c.o.Egress, Base: r.base, Now: c.o.Now}
	if c.o.URL != "" {
		a.Base = c.o.URL + "/" + name
	}
	_, secrets := p.Split(credentials)
	a = a.WithSecrets(slices.Collect(maps.Values(secrets))...)
	g := &guarded{inner: r.open(a, credentials), publicError: a.PublicError, spelled: map[string]string{}}
	return g, nil
}

// guarded limits the size of a provider's answers and removes secrets from its errors.
type guarded struct {
	inner       Provider
	publicError func(error) error
	spelled     map[string]string // zones as the provider spells them, if that is not in ASCII
}

// maxZones is the maximum number of zones that are listed for an account.
const maxZones = 5000

func (g *guarded) Zones(ctx context.Context) ([]string, error) {
	list, err := g.inner.Zones(ctx)
	if err != nil {
		return nil, g.publicError(err)
	}
	out := make([]string, 0, len(list))
	for _, zone := range list[:min(len(list), maxZones)] {
		host := ascii(zone)
		if host == "" || len(host) > 253 || slices.Contains(out, host) {
			continue
		}
		if out = append(out, host); host != bare(zone) {
			g.spelled[host] = bare(zone)
		}
	}
	slices.Sort(out)
	return out, nil
}

func (g *guarded) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	list, err := g.inner.Records(ctx, cmp.Or(g.spelled[zone], zone), name)
	if err != nil {
		return nil, g.publicError(err)
	}
	for i := range list {
		list[i].Data = strings.TrimSpace(list[i].Data)
	}
	return list, nil
}

func (g *guarded) Append(ctx context.Context, zone string, r libdns.RR) error {
	return g.publicError(g.inner.Append(ctx, cmp.Or(g.spelled[zone], zone), r))
}

// bare returns a name in lower case without the dot at its end.
func bare(name string) string { return strings.ToLower(strings.TrimSuffix(name, ".")) }

// ascii returns a name in lower case without the dot at its end, with letters beyond ASCII in punycode.
func ascii(name string) string {
	if host, err := idna.Lookup.ToASCII(bare(name)); err == nil {
		return host
	}
	return bare(name) // such as a name with an underscore
}

// relative converts a full name to the form of records: relative to its zone, "@" for the apex.
func relative(name, zone string) string {
	name = bare(name)
	switch rest, below := strings.CutSuffix(name, "."+zone); {
	case name == zone || name == "" || name == "@":
		return "@"
	case below:
		return rest
	}
	return name
}

// absolute returns the full name of a record, without a dot at the end.
func absolute(name, zone string) string {
	return strings.TrimSuffix(libdns.AbsoluteName(name, zone), ".")
}
