package cli

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db/certstore"
	"switchyard/db/kv"
	"switchyard/db/store"
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/workers/domain"
	edgeworker "switchyard/workers/edge"
	"switchyard/workers/egress"
	"switchyard/workers/issuer"
	"switchyard/workers/issuer/acme"
	cloudflareissuer "switchyard/workers/issuer/cloudflare"
	"switchyard/workers/providers/cloudflare"
	"switchyard/workers/providers/dns"
)

// registerDomains registers the jobs that set records at DNS providers and check where customers' domains point.
func (g *registrar) registerDomains() {
	names := egress.NewNames(g.cfg.DNSServers...)
	o := domain.Options{
		DNS: dns.New(dns.Options{
			Egress: g.egress(egress.Options{MaxHeaders: 64 << 10, MaxBody: 8 << 20}), URL: g.cfg.DNSProviderURL,
		}),
		Names: names,
		Pages: g.egress(egress.Options{
			Schemes: []string{"https", "http"}, MaxHeaders: 64 << 10,
			Resolver: names.Resolver(), // domains resolve as in the DNS check
		}),
		Registries: g.egress(egress.Options{MaxHeaders: 64 << 10, MaxBody: 2 << 20}),
		Tracker:    g.cfg.Tracker(), Edge: g.cfg.Edge(),
	}
	if g.cfg.RDAPURL != "" {
		list, err := url.Parse(g.cfg.RDAPURL + "/")
		g.err = cmp.Or(g.err, err)
		o.RegistryList = list
	}
	o.Ports.HTTP, o.Ports.HTTPS = g.cfg.DomainPorts[0], g.cfg.DomainPorts[1]
	domain.Register(g.runtime, g.records, o)
}

// openIssuer returns the issuer of certificates by ACME, or nil without a certificate authority.
func (g *registrar) openIssuer() (*acme.Issuer, error) {
	if len(g.cfg.ACMEDirectories) == 0 {
		return nil, nil //nolint:nilnil // no certificate authority is set
	}
	if len(g.cfg.EncryptionKey) == 0 {
		return nil, errors.New("ACME_DIRECTORY needs ENCRYPTION_KEY, which encrypts the keys of certificates")
	}
	cas := make([]acme.CA, len(g.cfg.ACMEDirectories))
	for n, directory := range g.cfg.ACMEDirectories {
		cas[n].Directory = directory
		if n < len(g.cfg.ACMEAccounts) {
			cas[n].EABKey, cas[n].EABSecret = g.cfg.ACMEAccounts[n].KeyID, g.cfg.ACMEAccounts[n].Secret
		}
	}
	return acme.New(acme.Options{
		Store: certstore.New(g.options.DB, g.records.Box()), CAs: cas, Email: g.cfg.ACMEEmail,
		Egress: g.egress(egress.Options{MaxHeaders: 64 << 10, MaxBody: acme.MaxBody}),
	}), nil
}

// registerCertificates registers the jobs that obtain certificates for domains. The certificates come from Cloudflare if its edge
// serves the domains, otherwise from the given ACME issuer, which may be nil.
func (g *registrar) registerCertificates(authority *acme.Issuer) {
	o := issuer.Options{Calls: g.perAccount("certificate calls", 60, time.Second)}
	if g.cfg.Edge() == models.EdgeCloudflare {
		i := cloudflareissuer.New(g.openCloudflare(), g.cfg.CloudflareZone)
		o.Issuer, o.Background, o.TrustsAll = i, i.Background(), true
	} else if authority != nil {
		o.Issuer = authority
		o.Orders = g.perAccount("certificate orders", acme.AccountOrders, acme.AccountOrderInterval)
	}
	issuer.Register(g.runtime, g.records, o)
}

// perAccount returns a function that takes one call from an account's budget and returns how long to wait. All processes share
// the budget.
func (g *registrar) perAccount(what string, burst int, interval time.Duration) func(context.Context, uuid.UUID) time.Duration {
	return func(ctx context.Context, account uuid.UUID) time.Duration {
		return kv.NewBudget(kv.BudgetOptions{
			Client: g.options.Redis, Name: what + " " + account.String(), Burst: burst, Interval: interval, Timeout: kv.Timeout,
		}).Allow(ctx, 0)
	}
}

// publishes reports whether campaigns are published to Cloudflare Workers KV, for routing at Cloudflare's edge.
func publishes(cfg config.Config) bool {
	return cfg.CloudflareToken != "" && cfg.CloudflareAccount != "" && cfg.CloudflareKV != ""
}

// cloudflareMaxBody is the maximum size of an answer. The largest one, from Workers KV, lists 10,000 keys that could not be
// written.
const cloudflareMaxBody = 8 << 20

// registerEdge registers the jobs that publish campaigns to Cloudflare's edge.
func (g *registrar) registerEdge() {
	o := edgeworker.Options{
		Locks: g.from.Locks, Format: routing.EdgeFormat,
		Compile: func(r *store.Routing) ([]models.EdgeBundle, error) {
			return routing.NewExplainer(r).Snapshot().EdgeBundles()
		},
	}
	if publishes(g.cfg) {
		client := g.openCloudflare()
		o.Keys = cloudflare.NewKV(client, g.cfg.CloudflareAccount, g.cfg.CloudflareKV)
		o.Background = cloudflare.NewKV(client.Background(), g.cfg.CloudflareAccount, g.cfg.CloudflareKV)
	}
	edgeworker.Register(g.runtime, g.records, o)
}

// openCloudflare returns a client of Cloudflare's API. All processes share one budget of requests.
func (g *registrar) openCloudflare() *cloudflare.Client {
	return cloudflare.New(cloudflare.Options{
		Egress: g.egress(egress.Options{MaxHeaders: 64 << 10, MaxBody: cloudflareMaxBody}),
		Token:  g.cfg.CloudflareToken, URL: g.cfg.CloudflareURL, Budget: kv.NewBudget(kv.BudgetOptions{
			Client: g.options.Redis, Name: models.EdgeCloudflare, Burst: cloudflare.Burst, Interval: cloudflare.Interval, Timeout: kv.Timeout,
		}),
	})
}
