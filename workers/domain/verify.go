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

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
	"switchyard/workers/egress"
)

// verify checks where a domain leads, for a caller who waits for the answer.
func (w *worker) verify(ctx context.Context, args jobs.VerifyDomainArgs) (out jobs.VerifiedDomain, err error) {
	s, err := w.check(ctx, workers.Account(ctx), args.ID)
	if err != nil {
		return out, err
	}
	return jobs.VerifiedDomain{
		ID: s.ID, Host: s.Host, Expected: w.o.Tracker.Target(s.Token), Verified: s.IsVerified, DomainCheck: s.Checked,
	}, nil
}

const (
	sweptAtOnce   = 500 // domains that a sweep claims at once
	checkedAtOnce = 32  // how many of these are checked in parallel
	maxDNSRecords = 20  // DNS records that are shown
)

// sweep checks the domains whose check is due.
func (w *worker) sweep(ctx context.Context) error {
	if w.o.Tracker.Host == "" {
		return nil
	}
	if err := w.store.Domains().DeleteExpiredClaims(ctx, w.o.Now()); err != nil {
		return err
	}
	for ctx.Err() == nil {
		due, err := w.store.Domains().ClaimDue(ctx, w.o.Now(), sweptAtOnce)
		if err != nil || len(due) == 0 {
			return err
		}
		w.checkWildcard(ctx)
		var g errgroup.Group
		g.SetLimit(checkedAtOnce)
		for _, d := range due {
			g.Go(func() error {
				w.checkDue(ctx, d)
				return nil
			})
		}
		_ = g.Wait() // no function returns an error
	}
	return ctx.Err()
}

// checkWildcard warns the operator if the CNAME targets of accounts have no address. It warns again only after a check that found an
// address.
func (w *worker) checkWildcard(ctx context.Context) {
	if !w.o.Tracker.OwnTargets {
		return
	}
	found, err := w.o.Names.Addresses(ctx, w.o.Tracker.Target("any"))
	if err != nil {
		return // DNS did not answer
	}
	if missing := len(found) == 0; w.noWildcard.Swap(missing) != missing && missing {
		slog.WarnContext(ctx, "customers cannot set CNAMEs to names below TRACKING_HOST: add a wildcard record, or let customers set TXT records",
			"record", "*."+w.o.Tracker.Host)
	}
}

// checkDue checks a domain that is due. If the check fails, the domain is due again in a quarter of an hour.
func (w *worker) checkDue(ctx context.Context, d store.DueDomain) {
	_, err := w.check(ctx, d.AccountID, d.ID)
	if err != nil && !errors.Is(err, models.NotFound("domain")) && ctx.Err() == nil {
		slog.WarnContext(ctx, "domain not checked", "account_id", d.AccountID, "domain_id", d.ID, "error", err)
	}
}

// check examines a domain and records the result.
func (w *worker) check(ctx context.Context, account, id uuid.UUID) (out models.DomainState, err error) {
	d, err := w.store.Domains().Find(ctx, account, id)
	if err != nil {
		return out, err
	}
	found, err := w.examine(ctx, d)
	if err != nil {
		return out, err
	}
	// domain_taken means that another account got the host during RecordCheck. The second attempt takes that into account.
	for range 2 {
		out, err = w.store.Domains().RecordCheck(ctx, account, id, found)
		if e, ok := models.AsError(err); !ok || e.Code != "domain_taken" {
			break
		}
	}
	if err == nil && out.IsVerified != d.IsVerified {
		slog.InfoContext(ctx, "verification of a domain changed", "account_id", account, "domain", d.Host, "verified", out.IsVerified,
			"detail", out.Checked.Detail)
	}
	return out, err
}

// examine asks DNS where a domain leads and whether it belongs to its account. It also asks the server at the domain whether it is
// this install.
func (w *worker) examine(ctx context.Context, d models.Domain) (c models.DomainCheck, err error) {
	secret, err := w.store.DomainSecret(ctx)
	if err != nil {
		return c, err
	}
	c = models.DomainCheck{At: w.o.Now(), Records: []string{}}
	ctx, cancel := context.WithTimeout(ctx, jobs.CheckTimeout)
	defer cancel()
	nonce := rand.Text()
	want := models.DomainProof(secret, d.Host, nonce)
	var s seen
	var textsErr, ownErr error
	var texts []string
	var all sync.WaitGroup
	all.Go(func() { s.own, ownErr = w.o.Names.Records(ctx, d.Host) })
	all.Go(func() { s.ours, _ = w.o.Names.Records(ctx, w.o.Tracker.Host) }) // without an answer, only the tracker's names are recognised
	all.Go(func() { texts, textsErr = w.o.Names.Texts(ctx, models.DomainTXT(d.Host)) })
	all.Go(func() { s.plain = w.probe(ctx, "http", d.Host, nonce, want) })
	all.Go(func() { s.secure = w.probe(ctx, "https", d.Host, nonce, want) })
	all.Wait()
	for _, r := range s.own {
		s.aliases = append(s.aliases, r.Names...)
	}
	if proof := models.ProofOf(d.Token, s.aliases, texts); proof != models.ProofNone || textsErr == nil && ownErr == nil {
		c.Proof = &proof
	}
	if ownErr == nil {
		c.Points = leadsToTracker(s.own, []string{w.o.Tracker.Host, w.o.Tracker.Target(d.Token)}, s.ours)
		c.Records = recordTexts(s.own)
	}
	c.AnsweredHere = s.plain.answeredHere || s.secure.answeredHere
	c.HTTPS = s.secure.https()
	c.Detail = w.detail(d, c, s)
	return c, nil
}

type seen struct {
	own, ours     []egress.Records // records of the domain and of the tracking host
	aliases       []string         // of the domain
	plain, secure probe
}

// leadsToTracker reports whether a domain leads to the tracker: through one of the tracker's names, or only to its addresses. The
// answer of one server is enough, because other servers possibly do not know the latest change yet. The result is nil if no
// answer decides this.
func leadsToTracker(own []egress.Records, tracker []string, ours []egress.Records) *bool {
	var addresses []netip.Addr
	for _, r := range ours {
		addresses = append(addresses, r.Addresses...)
	}
	known, leads := false, false
	for _, r := range own {
		switch {
		case slices.ContainsFunc(r.Names, func(name string) bool { return slices.Contains(tracker, name) }):
			leads = true
		case len(r.Addresses) == 0 && len(r.Names) == 0:
			known = true
		case len(addresses) > 0:
			known = true
			leads = leads || len(r.Addresses) > 0 && !slices.ContainsFunc(r.Addresses, func(a netip.Addr) bool { return !slices.Contains(addresses, a) })
		}
	}
	if !known && !leads {
		return nil
	}
	return &leads
}

// recordTexts returns the records of a host as texts, each once, at most maxDNSRecords.
func recordTexts(found []egress.Records) []string {
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
			add(kindOf(a) + " " + a.String())
		}
	}
	return out
}

// instructions returns a text that tells a person which records to set for a domain.
func (w *worker) instructions(d models.Domain, ours []egress.Records) string {
	text := "Set a CNAME of " + d.Host + " to " + w.o.Tracker.Target(d.Token)
	if models.IsApex(d.Host) {
		text = "Point " + d.Host + " at " + w.o.Tracker.Host + " by an ALIAS, ANAME or flattened CNAME"
		if records := recordTexts(addressesOf(ours)); len(records) > 0 {
			text += ", or, where your DNS has none of these, set " + strings.Join(records, " and ")
		}
	}
	return text + ". " + proofInstructions(d)
}

func proofInstructions(d models.Domain) string {
	r := d.ProofRecord()
	return "Set a TXT record of " + r.Name + " to " + r.Value + "."
}

// addressesOf returns the records without the names that lead to the addresses.
func addressesOf(found []egress.Records) []egress.Records {
	return db.Map(found, func(r egress.Records) egress.Records { return egress.Records{Addresses: r.Addresses} })
}

// detail returns a text about the result of a check and the next step for the customer.
func (w *worker) detail(d models.Domain, c models.DomainCheck, s seen) string {
	here, proxied := "The domain leads here.", c.Points != nil && !*c.Points
	if proxied {
		here = "The domain leads here through another server, such as a proxy."
	}
	target := w.o.Tracker.Target(d.Token)
	resolves := slices.ContainsFunc(s.own, func(r egress.Records) bool { return len(r.Addresses) > 0 })
	// c.AnsweredHere: this install answered at the domain. c.Proof: the proof in DNS that the domain is the account's; nil if
	// unknown.
	switch {
	case c.AnsweredHere && c.Proof == nil && !d.IsVerified:
		return here + " DNS could not be asked whether the domain belongs to this account. The check is repeated later."
	case c.AnsweredHere && c.Wrong(d):
		return here + " DNS does not show that the domain belongs to this account. " + proofInstructions(d)
	case c.AnsweredHere && !proxied && c.HTTPS != nil && !*c.HTTPS:
		return here + " HTTPS does not work on it: " + s.secure.text + "."
	case c.AnsweredHere:
		return here
	case c.Points == nil:
		return "DNS could not be asked where the domain leads. The check is repeated later."
	case w.o.Tracker.OwnTargets && slices.Contains(s.aliases, target) && !resolves:
		return "DNS leads to " + target + ", which has no address: the operator of this install has to set a wildcard record *." + w.o.Tracker.Host + "."
	case *c.Points && c.Wrong(d):
		return "DNS leads here, but the domain does not answer as this service: " + s.plain.text + ". DNS does not show that the domain " +
			"belongs to this account. " + proofInstructions(d)
	case *c.Points:
		return "DNS leads here, but the domain does not answer as this service: " + s.plain.text + "."
	case len(c.Records) == 0:
		return "The domain has no address in DNS. " + w.instructions(d, s.ours)
	}
	return "The domain leads elsewhere: " + strings.Join(c.Records, ", ") + ". " + w.instructions(d, s.ours)
}
