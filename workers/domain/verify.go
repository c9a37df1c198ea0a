package domain

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// verify looks where a domain leads, for somebody who waits.
func (w *worker) verify(ctx context.Context, args jobs.VerifyDomainArgs) (out jobs.VerifiedDomain, err error) {
	s, err := w.check(ctx, workers.Account(ctx), args.ID)
	if err != nil {
		return out, err
	}
	return jobs.VerifiedDomain{
		ID: s.ID, Host: s.Host, Expected: w.o.TrackingHost, Verified: s.IsVerified, DomainCheck: s.Checked,
	}, nil
}

const (
	sweptAtOnce   = 500 // domains that a sweep takes at once
	lookedAtOnce  = 32  // of them
	maxDNSRecords = 20  // that are shown
)

// sweep looks at the domains whose check is due.
func (w *worker) sweep(ctx context.Context) error {
	if w.o.TrackingHost == "" {
		return nil
	}
	for ctx.Err() == nil {
		due, err := w.store.Domains().TakeDue(ctx, w.o.Now(), sweptAtOnce)
		if err != nil || len(due) == 0 {
			return err
		}
		var g errgroup.Group
		g.SetLimit(lookedAtOnce)
		for _, d := range due {
			g.Go(func() error {
				w.checkDue(ctx, d)
				return nil
			})
		}
		_ = g.Wait() // there is none
	}
	return ctx.Err()
}

// checkDue looks at a domain whose check is due. One that fails is due again in a quarter of an hour.
func (w *worker) checkDue(ctx context.Context, d store.DueDomain) {
	_, err := w.check(ctx, d.AccountID, d.ID)
	if err != nil && !errors.Is(err, models.NotFound("domain")) && ctx.Err() == nil {
		slog.WarnContext(ctx, "domain not checked", "account_id", d.AccountID, "domain_id", d.ID, "error", err)
	}
}

// check looks at a domain and records what it found.
func (w *worker) check(ctx context.Context, account, id uuid.UUID) (out models.DomainState, err error) {
	d, err := w.store.Domains().Find(ctx, account, id)
	if err != nil {
		return out, err
	}
	found, err := w.look(ctx, d.Host)
	if err != nil {
		return out, err
	}
	for range 2 { // another account may have been faster
		out, err = w.store.Domains().RecordCheck(ctx, account, id, found)
		if e, ok := models.AsError(err); !ok || e.Code != "domain_taken" {
			break
		}
	}
	if err == nil && out.IsVerified != d.IsVerified {
		slog.InfoContext(ctx, "domain verified or not any more", "account_id", account, "domain", d.Host, "verified", out.IsVerified,
			"detail", out.Checked.Detail)
	}
	return out, err
}

// look asks DNS where a host leads, and the host whether it is this install.
func (w *worker) look(ctx context.Context, host string) (c models.DomainCheck, err error) {
	secret, err := w.store.DomainSecret(ctx)
	if err != nil {
		return c, err
	}
	c = models.DomainCheck{At: w.o.Now(), Records: []string{}}
	ctx, cancel := context.WithTimeout(ctx, jobs.CheckTimeout)
	defer cancel()
	nonce := rand.Text()
	want := models.DomainProof(secret, host, nonce)
	var own, ours []egress.Records
	var ownErr error
	var plain, secure probe
	var all sync.WaitGroup
	all.Go(func() { own, ownErr = w.o.Names.Records(ctx, host) })
	all.Go(func() { ours, _ = w.o.Names.Records(ctx, w.o.TrackingHost) }) // unknown: only the name itself is recognised
	all.Go(func() { plain = w.probe(ctx, "http", host, nonce, want) })
	all.Go(func() { secure = w.probe(ctx, "https", host, nonce, want) })
	all.Wait()
	if ownErr == nil {
		c.Points = leads(own, w.o.TrackingHost, ours)
		c.Records = shownRecords(own)
	}
	c.Proven = plain.proven || secure.proven
	c.HTTPS = secure.https()
	c.Detail = w.detail(host, c, ours, plain, secure)
	return c, nil
}

// leads reports whether DNS servers lead to the tracker: by its name, or by nothing but its addresses. Of several servers
// one is enough, as the others may not know it yet. nil: none can say.
func leads(own []egress.Records, tracker string, ours []egress.Records) *bool {
	var addresses []netip.Addr
	for _, r := range ours {
		addresses = append(addresses, r.Addresses...)
	}
	known, yes := false, false
	for _, r := range own {
		switch {
		case slices.Contains(r.Names, tracker):
			yes = true
		case len(r.Addresses) == 0 && len(r.Names) == 0:
			known = true
		case len(addresses) > 0:
			known = true
			yes = yes || len(r.Addresses) > 0 && !slices.ContainsFunc(r.Addresses, func(a netip.Addr) bool { return !slices.Contains(addresses, a) })
		}
	}
	if !known && !yes {
		return nil
	}
	return &yes
}

// shownRecords are the records of a host, each once.
func shownRecords(found []egress.Records) []string {
	out := []string{}
	add := func(text string) {
		if len(out) < maxDNSRecords && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	for _, r := range found {
		for _, name := range r.Names {
			add("CNAME " + name)
		}
		for _, a := range r.Addresses {
			if a.Is4() {
				add("A " + a.String())
			} else {
				add("AAAA " + a.String())
			}
		}
	}
	return out
}

// todo says how a host is pointed by hand.
func (w *worker) todo(host string, ours []egress.Records) string {
	if !models.IsApex(host) {
		return "Set a CNAME of " + host + " to " + w.o.TrackingHost + "."
	}
	text := "Point " + host + " at " + w.o.TrackingHost + " by an ALIAS, ANAME or flattened CNAME"
	if records := shownRecords(addressesOf(ours)); len(records) > 0 {
		text += ", or, where your DNS has none of these, set " + strings.Join(records, " and ")
	}
	return text + "."
}

// addressesOf are records without the names that led to them.
func addressesOf(found []egress.Records) []egress.Records {
	out := make([]egress.Records, len(found))
	for i, r := range found {
		out[i].Addresses = r.Addresses
	}
	return out
}

// detail says what was found, and what to do. ours are the records of the tracking host.
func (w *worker) detail(host string, c models.DomainCheck, ours []egress.Records, plain, secure probe) string {
	todo := w.todo(host, ours)
	switch {
	case c.Proven && c.Points != nil && !*c.Points:
		return "The domain leads here through another server, such as a proxy."
	case c.Proven && c.HTTPS != nil && !*c.HTTPS:
		return "The domain leads here. HTTPS does not work on it: " + secure.text + "."
	case c.Proven:
		return "The domain leads here."
	case c.Points == nil:
		return "DNS could not be asked where the domain leads. It is tried again later."
	case *c.Points:
		return "DNS leads here, but the domain does not answer as this service: " + plain.text + "."
	case len(c.Records) == 0:
		return "The domain has no address in DNS. " + todo
	}
	return "The domain leads elsewhere: " + strings.Join(c.Records, ", ") + ". " + todo
}
