// Package dns sets records in the DNS accounts of customers. Each provider has an entry in the map rows. Records have
// libdns' form, with names relative to their zone and "@" for the apex.
//
// A provider is called through libdns' package for it, if the package accepts our HTTP client, never changes an existing
// record, sees all records, and respects the context. Otherwise package dns has its own client for the provider. The file of
// nearly every such client says why.
//
// No error contains credentials.
package dns

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libdns/libdns"
	"golang.org/x/net/idna"

	"switchyard/models"
	"switchyard/workers/egress"
	"switchyard/workers/providers/rest"
)

// Provider is an account at a DNS provider. Names of zones have no dot at the end. Their letters beyond ASCII are in punycode.
type Provider interface {
	Zones(ctx context.Context) ([]string, error)
	Records(ctx context.Context, zone, name string) ([]libdns.RR, error)
	// Append adds a record and changes no existing record.
	Append(ctx context.Context, zone string, r libdns.RR) error
}

// Options are the options of a Client.
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

// zone is a zone of an account, as the provider spells its name. id is the provider's id of the zone; empty: requests use the name.
type zone struct{ name, id string }

// account is an account at a provider.
type account interface {
	Zones(ctx context.Context) ([]zone, error)
	// Records lists the records of a name, which is relative to the zone.
	Records(ctx context.Context, z zone, name string) ([]libdns.RR, error)
	// Append adds a record and changes no existing record. set is used only by providers whose row has sets.
	Append(ctx context.Context, z zone, r libdns.RR, set []string) error
}

// row describes how to open an account at a provider of models.DNSProviders.
type row struct {
	base   string // address of its API, without a slash at the end; empty: the provider's own code finds it
	open   func(a rest.API, credentials map[string]string) account
	ids    bool // requests name a zone by its id, so the zones are listed first
	quotes bool // the data of TXT records is in quotes, as in a zone file
	// sets says that the provider accepts only whole sets of records. Append then gets the data of the whole set, with the new
	// record at the end.
	sets bool
}

var rows = map[string]row{
	"cloudflare":     {base: "https://api.cloudflare.com/client/v4", open: openCloudflare},
	"hetzner":        {base: "https://api.hetzner.cloud/v1", open: openHetzner, quotes: true},
	"digitalocean":   {base: "https://api.digitalocean.com/v2", open: openDigitalOcean},
	"porkbun":        {base: "https://api.porkbun.com/api/json/v3", open: openPorkbun},
	"bunny":          {base: "https://api.bunny.net", open: openBunny, ids: true},
	"desec":          {base: "https://desec.io/api/v1", open: openDesec, quotes: true, sets: true},
	"linode":         {base: "https://api.linode.com/v4", open: openLinode, ids: true},
	"vultr":          {base: "https://api.vultr.com/v2", open: openVultr, quotes: true},
	"dnsimple":       {base: "https://api.dnsimple.com/v2", open: openDNSimple},
	"godaddy":        {base: "https://api.godaddy.com/v1", open: openGoDaddy},
	"gandi":          {base: "https://api.gandi.net/v5/livedns", open: openGandi, quotes: true, sets: true},
	"netlify":        {base: "https://api.netlify.com/api/v1", open: openNetlify, ids: true},
	"powerdns":       {open: openPowerDNS, quotes: true},
	"namecheap":      {base: "https://api.namecheap.com", open: openNamecheap},
	"ovh":            {open: openOVH},
	"route53":        {base: "https://route53.amazonaws.com/2013-04-01", open: openRoute53, ids: true, quotes: true, sets: true},
	"googleclouddns": {open: openGoogleCloud, ids: true, quotes: true, sets: true},
	"azure":          {open: openAzure, ids: true, sets: true},
	"rfc2136":        {open: openServer},
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
	return &guarded{inner: r.open(a, credentials), row: r, publicError: a.PublicError}, nil
}

// guarded limits the zones that are listed, and removes secrets from errors.
type guarded struct {
	inner       account
	row         row
	publicError func(error) error
	known       map[string]zone // the zones of the account, by their names in ASCII
}

const (
	maxZones = 5000 // listed for an account
	maxName  = 253  // characters of a zone's name in ASCII
)

func (g *guarded) Zones(ctx context.Context) ([]string, error) {
	list, err := g.inner.Zones(ctx)
	if err != nil {
		return nil, g.publicError(err)
	}
	g.known = map[string]zone{}
	for _, z := range list[:min(len(list), maxZones)] {
		if host := ascii(z.name); host != "" && len(host) <= maxName {
			g.known[host] = zone{bare(z.name), z.id}
		}
	}
	return slices.Sorted(maps.Keys(g.known)), nil
}

var errNoZone = errors.New("the account holds no such zone")

// find returns a zone with the provider's id and spelling. It lists the zones first if requests need their ids. If they do not, a
// zone that was not listed keeps the given name.
func (g *guarded) find(ctx context.Context, name string) (zone, error) {
	if g.row.ids && len(g.known) == 0 {
		if _, err := g.Zones(ctx); err != nil {
			return zone{}, err
		}
	}
	z, known := g.known[name]
	switch {
	case known:
		return z, nil
	case g.row.ids:
		return zone{}, errNoZone
	}
	return zone{name: name}, nil
}

func (g *guarded) Records(ctx context.Context, zone, name string) ([]libdns.RR, error) {
	z, err := g.find(ctx, zone)
	if err != nil {
		return nil, g.publicError(err)
	}
	list, err := g.inner.Records(ctx, z, name)
	if err != nil {
		return nil, g.publicError(err)
	}
	for i := range list {
		list[i].Data = strings.TrimSpace(list[i].Data)
	}
	return list, nil
}

func (g *guarded) Append(ctx context.Context, zone string, r libdns.RR) error {
	return g.publicError(g.add(ctx, zone, r))
}

func (g *guarded) add(ctx context.Context, zone string, r libdns.RR) error {
	z, err := g.find(ctx, zone)
	if err != nil {
		return err
	}
	if g.row.quotes && r.Type == "TXT" {
		r.Data = strconv.Quote(r.Data)
	}
	var set []string
	if g.row.sets {
		present, err := g.inner.Records(ctx, z, r.Name)
		if err != nil {
			return err
		}
		if set, err = withRecord(present, r); err != nil {
			return err
		}
	}
	return g.inner.Append(ctx, z, r, set)
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
	rest, below := strings.CutSuffix(name, "."+zone)
	switch {
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
