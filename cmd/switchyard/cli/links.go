package cli

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/certstore"
	"switchyard/db/click"
	"switchyard/db/kv"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/ops/config"
	"switchyard/workers"
	"switchyard/workers/domain"
	"switchyard/workers/egress"
	"switchyard/workers/geo"
	"switchyard/workers/issuer"
	"switchyard/workers/issuer/acme"
	"switchyard/workers/issuer/cloudflare"
	"switchyard/workers/linkcheck"
	"switchyard/workers/providers/dns"
	"switchyard/workers/providers/geolookup"
	"switchyard/workers/providers/safebrowsing"
)

// newEgress returns a client for requests to other hosts, within the limits that the operator sets.
func newEgress(cfg config.Config, o egress.Options) (*egress.Client, error) {
	o.Allow, o.CAFile, o.Hosts = cfg.EgressAllow, cfg.EgressCAFile, cfg.EgressHosts
	return egress.New(o)
}

// openPages returns the client for customers' links and for the addresses of traffic sources. It allows http, and answers with
// long headers.
func openPages(cfg config.Config) (*egress.Client, error) {
	return newEgress(cfg, egress.Options{Schemes: []string{"https", "http"}, MaxHeaders: 64 << 10})
}

// registerGeo registers the jobs that look up addresses in the geo databases that accounts have connected.
func registerGeo(cfg config.Config, r *workers.Runtime, records *store.Store, clicks click.Log) error {
	providers, err := newEgress(cfg, egress.Options{MaxBody: 64 << 10})
	if err != nil {
		return err
	}
	geo.Register(r, records, geo.Options{
		Clicks: clicks, Lookups: geolookup.New(geolookup.Options{Egress: providers, URL: cfg.GeoLookupURL}),
	})
	return nil
}

// registerDomains registers the jobs for customers' domains. They work with DNS providers, and check where the domains lead.
func registerDomains(cfg config.Config, r *workers.Runtime, records *store.Store) error {
	providers, err := newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: 8 << 20})
	if err != nil {
		return err
	}
	names := egress.NewNames(cfg.DNSServers...)
	pages, err := newEgress(cfg, egress.Options{
		Schemes: []string{"https", "http"}, MaxHeaders: 64 << 10,
		Resolver: names.Resolver(), // resolves a domain in the same way as the DNS check
	})
	if err != nil {
		return err
	}
	o := domain.Options{
		DNS: dns.New(dns.Options{Egress: providers, URL: cfg.DNSProviderURL}), Names: names, Pages: pages, Tracker: cfg.Tracker(),
		Edge: cfg.Edge(),
	}
	if o.Registries, err = newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: 2 << 20}); err != nil {
		return err
	}
	if cfg.RDAPURL != "" {
		if o.RegistryList, err = url.Parse(cfg.RDAPURL + "/"); err != nil {
			return err
		}
	}
	o.Ports.HTTP, o.Ports.HTTPS = cfg.DomainPorts[0], cfg.DomainPorts[1]
	domain.Register(r, records, o)
	return nil
}

// openIssuer returns the issuer that obtains certificates by ACME. It returns nil if no certificate authority is set.
func openIssuer(cfg config.Config, d *db.DB) (*acme.Issuer, error) {
	if len(cfg.ACMEDirectories) == 0 {
		return nil, nil //nolint:nilnil // most installs have none
	}
	if len(cfg.EncryptionKey) == 0 {
		return nil, errors.New("ACME_DIRECTORY needs ENCRYPTION_KEY, which seals the keys of certificates")
	}
	out, err := newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: acme.MaxBody})
	if err != nil {
		return nil, err
	}
	box, err := seal.New(d, cfg.EncryptionKey)
	if err != nil {
		return nil, err
	}
	cas := make([]acme.CA, len(cfg.ACMEDirectories))
	for n, directory := range cfg.ACMEDirectories {
		cas[n].Directory = directory
		if n < len(cfg.ACMEAccounts) {
			cas[n].EABKey, cas[n].EABSecret = cfg.ACMEAccounts[n].KeyID, cfg.ACMEAccounts[n].Secret
		}
	}
	return acme.New(acme.Options{Store: certstore.New(d, box), Egress: out, CAs: cas, Email: cfg.ACMEEmail}), nil
}

// registerCertificates registers the jobs that obtain certificates for domains: from Cloudflare if Cloudflare is the edge, or
// else from authority. authority may be nil.
func registerCertificates(cfg config.Config, r *workers.Runtime, records *store.Store, redis jobs.Redis,
	authority *acme.Issuer,
) error {
	o := issuer.Options{Calls: perAccount(redis, "certificate calls", 60, time.Second)}
	if cfg.Edge() == models.EdgeCloudflare {
		client, err := openCloudflare(cfg, redis)
		if err != nil {
			return err
		}
		i := cloudflare.New(client, cfg.CloudflareZone)
		o.Issuer, o.Background, o.TrustsAll = i, i.Background(), true
	} else if authority != nil {
		o.Issuer = authority
		o.Orders = perAccount(redis, "certificate orders", acme.AccountOrders, acme.AccountOrderInterval)
	}
	issuer.Register(r, records, o)
	return nil
}

// perAccount returns a function that spends from an account's budget. All processes share the budget. The function returns how
// long the account has to wait.
func perAccount(redis jobs.Redis, what string, burst int, interval time.Duration) func(context.Context, uuid.UUID) time.Duration {
	return func(ctx context.Context, account uuid.UUID) time.Duration {
		return kv.NewBudget(kv.BudgetOptions{
			Client: redis, Name: what + " " + account.String(), Burst: burst, Interval: interval, Timeout: kv.Timeout,
		}).Allow(ctx, 0)
	}
}

// registerLinks registers the jobs that check customers' links.
func registerLinks(cfg config.Config, r *workers.Runtime, records *store.Store, pages *egress.Client) error {
	lists, err := newEgress(cfg, egress.Options{MaxHeaders: 64 << 10, MaxBody: 1 << 20})
	if err != nil {
		return err
	}
	linkcheck.Register(r, linkcheck.Options{Store: records, Egress: pages, List: safebrowsing.New(safebrowsing.Options{
		WebRiskKey: cfg.WebRiskKey, SafeBrowsingKey: cfg.SafeBrowsingKey, URL: cfg.SafeBrowsingURL, Egress: lists,
	})})
	return nil
}
