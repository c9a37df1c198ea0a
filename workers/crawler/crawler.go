// Package crawler verifies visitors whose user agents claim to be a well-known crawler. A reverse DNS name of the visitor's
// address must belong to the crawler, and that name must resolve to the address. Otherwise the click gets the signal
// fake_crawler.
//
// Until this is decided, the click is called a claim. If DNS gives no answer, the claim is not fake: it is looked up again after
// one minute, two, four and so on, and dropped after an hour.
package crawler

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models/bot"
	"switchyard/workers"
)

// Names looks up names and addresses in DNS. *egress.Names implements it.
type Names interface {
	LookupAddr(ctx context.Context, addr netip.Addr) ([]string, error)
	Addresses(ctx context.Context, name string) ([]netip.Addr, error)
}

// Options of Register.
type Options struct {
	Clicks click.Log
	Names  Names
	Now    func() time.Time // default time.Now
}

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Now = workers.Clock(o.Now)
	w := &worker{o: o, store: s, client: r.Client()}
	workers.RegisterForAccount(r, jobs.VerifyCrawlers, w.verify)
	workers.RegisterTick(r, jobs.SweepCrawlers, w.sweep)
}

type worker struct {
	o      Options
	store  *store.Store
	client *jobs.Client
}

// Limits of one sweep, which runs once a minute.
const (
	accountsAtOnce    = 100
	clicksAtOnce      = 2000 // claims of one account
	lookUpsAtOnce     = 60   // addresses that are looked up for one account; for accountsAtOnce accounts at most 6,000
	lookUpsInParallel = 8    // how many of these look-ups run at the same time
)

const (
	claimRetention = time.Hour
	// answerRetention is how long an answer about an address is used for further clicks.
	answerRetention = 24 * time.Hour
	deletedAtOnce   = 20_000
)

// sweep starts the verification for each account with claims that are due.
func (w *worker) sweep(ctx context.Context) error {
	now := w.o.Now()
	if err := botscan.DeleteExpiredCrawlers(ctx, w.o.Clicks.Conn, now.Add(-claimRetention), now.Add(-answerRetention), deletedAtOnce); err != nil {
		return err
	}
	waiting, err := botscan.AccountsWithClaims(ctx, w.o.Clicks.Conn, now, accountsAtOnce)
	if err != nil {
		return err
	}
	return workers.SubmitEach(ctx, w.client, jobs.VerifyCrawlers, waiting)
}

func (w *worker) verify(ctx context.Context, account uuid.UUID) error {
	now := w.o.Now()
	claims, err := botscan.LeaseClaims(ctx, w.o.Clicks.Conn, account, now, clicksAtOnce)
	if err != nil || len(claims) == 0 {
		return err
	}
	known, later, err := w.answers(ctx, claims, now)
	if err != nil {
		return err
	}
	var findings []botscan.Finding
	var decided, returned []uuid.UUID
	for _, c := range claims {
		verified, ok := known[c.CrawlerAddress]
		switch {
		case ok && verified:
			findings = append(findings, botscan.Finding{ClickID: c.ClickID, Crawler: c.Crawler})
		case ok:
			findings = append(findings, botscan.Finding{ClickID: c.ClickID, Signals: bot.FakeCrawler})
		case later[c.CrawlerAddress]:
			returned = append(returned, c.ClickID)
			continue
		default:
			continue // the look-up failed, and the claim is due again later
		}
		decided = append(decided, c.ClickID)
	}
	err = w.revise(ctx, account, findings, decided)
	if len(returned) > 0 {
		err = errors.Join(err, botscan.ReleaseClaims(ctx, w.o.Clicks.Conn, account, returned, now))
	}
	return err
}

// revise changes the clicks as the findings say and deletes the decided claims, in one transaction.
func (w *worker) revise(ctx context.Context, account uuid.UUID, findings []botscan.Finding, decided []uuid.UUID) error {
	if len(findings) == 0 {
		return nil
	}
	return workers.ReviseClicks(ctx, w.store, w.o.Clicks, account, func(c db.Conn, settings bot.Settings) ([]time.Time, error) {
		days, err := botscan.Revise(ctx, w.o.Clicks, c, account, settings, findings)
		if err == nil {
			err = botscan.DeleteClaims(ctx, c, account, decided)
		}
		return days, err
	})
}

// answers returns two maps. known tells of a claim whether its address belongs to the crawler. later has the claims that another
// run looks up. Claims whose look-up failed are in neither map.
func (w *worker) answers(ctx context.Context, claims []botscan.CrawlerClaim, now time.Time) (
	known, later map[botscan.CrawlerAddress]bool, err error,
) {
	var addresses []netip.Addr
	var all []botscan.CrawlerAddress
	for _, c := range claims {
		if !slices.Contains(all, c.CrawlerAddress) {
			addresses, all = append(addresses, c.Address), append(all, c.CrawlerAddress)
		}
	}
	stored, err := botscan.CrawlerAnswers(ctx, w.o.Clicks.Conn, addresses, now.Add(-answerRetention))
	if err != nil {
		return nil, nil, err
	}
	known, later = map[botscan.CrawlerAddress]bool{}, map[botscan.CrawlerAddress]bool{}
	for _, a := range stored {
		known[a.CrawlerAddress] = a.Verified
	}
	unknown := slices.DeleteFunc(all, func(c botscan.CrawlerAddress) bool { _, ok := known[c]; return ok })
	for _, c := range unknown[min(len(unknown), lookUpsAtOnce):] {
		later[c] = true
	}
	fresh := w.lookUp(ctx, unknown[:min(len(unknown), lookUpsAtOnce)])
	for _, a := range fresh {
		known[a.CrawlerAddress] = a.Verified
	}
	return known, later, botscan.StoreCrawlerAnswers(ctx, w.o.Clicks.Conn, fresh, now)
}
