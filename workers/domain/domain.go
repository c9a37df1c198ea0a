// Package domain manages customers' domains. It lists the zones in the customers' DNS accounts, points domains at the tracker,
// and checks where domains lead. A domain is verified when this install answers a challenge at the domain, and DNS shows that the
// domain belongs to the account (models.ProofTXT has the rule).
package domain

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/providers/dns"
	"switchyard/workers/providers/rest"
)

// Names looks up names in DNS. *egress.Names implements it.
type Names interface {
	Addresses(ctx context.Context, name string) ([]netip.Addr, error)
	Records(ctx context.Context, name string) ([]egress.Records, error)
	Texts(ctx context.Context, name string) ([]string, error)
}

// Options of Register.
type Options struct {
	DNS     *dns.Client
	Names   Names
	Pages   *egress.Client // must accept the schemes http and https
	Tracker models.DomainTracker
	Edge    string // the edge that issues certificates for domains; empty if there is no edge
	// Registries is the client for the registries of names, which know when registrations end. If it is nil, no registry is
	// asked.
	Registries *egress.Client
	// RegistryList is the address of the list of registries. The default is IANA's.
	RegistryList *url.URL
	// Ports are the ports at which a domain is probed; default 80 and 443.
	Ports struct{ HTTP, HTTPS string }
	Now   func() time.Time // default time.Now
}

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	o.Ports.HTTP, o.Ports.HTTPS = cmp.Or(o.Ports.HTTP, "80"), cmp.Or(o.Ports.HTTPS, "443")
	w := &worker{o: o, store: s, registries: newRegistries(o)}
	workers.Register(r, jobs.TestDNS, w.test)
	workers.Register(r, jobs.ListDNSZones, w.listZones)
	workers.Register(r, jobs.AddDomains, w.add)
	workers.Register(r, jobs.PointDomain, w.point)
	workers.Register(r, jobs.VerifyDomain, w.verify)
	workers.RegisterTick(r, jobs.SweepDomains, w.sweep)
	workers.RegisterTick(r, jobs.SweepRegistrations, w.sweepRegistrations)
}

type worker struct {
	o          Options
	store      *store.Store
	registries *registries
	noWildcard atomic.Bool // the last check found no address for names below the tracking host
}

// account is a DNS account that was opened, with the zones that it holds.
type account struct {
	models.DNSAccount
	dns.Provider
	zones []string
}

// open opens a DNS account, lists its zones and stores whether this worked. why describes a failure of the provider or of the stored
// credentials. A provider that asks for fewer requests says nothing about the account, so open stores nothing then.
func (w *worker) open(ctx context.Context, a models.DNSAccount) (opened account, why string, err error) {
	opened.DNSAccount = a
	credentials, err := w.store.DNSAccounts().Credentials(ctx, a)
	if errors.Is(err, seal.ErrOpen) {
		why = "the stored credentials cannot be read any more: connect the account again by PUT /integrations"
		return opened, why, w.store.DNSAccounts().RecordResult(ctx, a, why)
	}
	if err != nil {
		return opened, "", err
	}
	limited, cancel := context.WithTimeout(ctx, jobs.ZonesTimeout)
	defer cancel()
	if opened.Provider, err = w.o.DNS.Open(a.Provider, credentials); err != nil {
		return opened, "", err
	}
	var failure error
	if opened.zones, failure = opened.Zones(limited); failure != nil {
		why = failure.Error()
		slog.InfoContext(ctx, "dns account fails", "account_id", a.AccountID, "provider", a.Provider, "error", why)
	}
	if errors.Is(failure, rest.ErrBusy) {
		return opened, why, nil
	}
	return opened, why, w.store.DNSAccounts().RecordResult(context.WithoutCancel(ctx), a, why)
}

func zonesAnswer(a account, why string) jobs.DNSZones {
	return jobs.DNSZones{
		ID: a.ID, Provider: a.DNSAccount.Provider, Label: a.Label, OK: why == "", Message: why, Zones: append([]string{}, a.zones...),
	}
}

// test opens a DNS account and returns its zones, or the reason why this failed.
func (w *worker) test(ctx context.Context, args jobs.DNSArgs) (jobs.DNSZones, error) {
	found, err := w.store.DNSAccounts().Named(ctx, workers.Account(ctx), args.ID, "not_connected")
	if err != nil {
		return jobs.DNSZones{}, err
	}
	a, why, err := w.open(ctx, found)
	return zonesAnswer(a, why), err
}

func (w *worker) listZones(ctx context.Context, _ jobs.None) ([]jobs.DNSZones, error) {
	all, failures, err := w.openAll(ctx, workers.Account(ctx))
	out := make([]jobs.DNSZones, len(all))
	for i := range all {
		out[i] = zonesAnswer(all[i], failures[i])
	}
	return out, err
}

// openAll opens all DNS accounts of an account at once. why has a text for each, which is empty if it was opened.
func (w *worker) openAll(ctx context.Context, id uuid.UUID) (all []account, why []string, err error) {
	found, err := w.store.DNSAccounts().List(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	all, why = make([]account, len(found)), make([]string, len(found))
	var g errgroup.Group
	for i := range found {
		g.Go(func() (err error) {
			all[i], why[i], err = w.open(ctx, found[i])
			return err
		})
	}
	return all, why, g.Wait()
}
