package geo

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/geodatabase"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/bot"
	"switchyard/workers"
)

type lookupRun struct {
	*worker
	database models.GeoDatabase
	now      time.Time
	key      string
	left     int       // look-ups that it may still make
	after    uuid.UUID // the last click handled
	failure  string    // why a look-up failed; then no further look-ups are made
	worked   bool      // at least one look-up succeeded
}

const (
	clicksAtOnce  = 2000 // in one transaction
	fetchesAtOnce = 4    // look-ups at the same time
	bitsOfIPv4    = 24   // addresses with the same first 24 bits share one look-up
	bitsOfIPv6    = 48
	bitsOfAllIPv4 = 32
)

// run goes through the clicks in batches, each committed on its own.
func (u *lookupRun) run(ctx context.Context) (err error) {
	account := u.database.AccountID
	if u.key, err = geodatabase.New(u.store).Key(ctx, account); err != nil {
		return err
	}
	owner, err := u.store.FindAccount(ctx, account)
	if err != nil {
		return err
	}
	u.left = (owner.Allowances().GeoLookups + jobs.GeoSweeps - 1) / jobs.GeoSweeps
	for {
		clicks, err := u.o.Clicks.Addresses(ctx, click.AddressQuery{
			AccountID: account, After: u.after, From: u.now.Add(-maxAge), To: u.now.Add(-minAge), Limit: clicksAtOnce,
		})
		if err != nil || len(clicks) == 0 {
			return err
		}
		if err := u.describe(ctx, clicks); err != nil {
			return err
		}
		u.after = clicks[len(clicks)-1].ID
		if len(clicks) < clicksAtOnce {
			return nil
		}
	}
}

// describe stores the place of each click whose address has a stored answer or can be looked up now. A click without a known
// place stays unchanged.
func (u *lookupRun) describe(ctx context.Context, clicks []click.Address) error {
	places, err := u.places(ctx, clicks)
	if err != nil {
		return err
	}
	var findings []botscan.Finding
	for _, c := range clicks {
		place, known := places[prefixOf(c.IP)]
		if !known || place == (models.Place{}) {
			continue
		}
		findings = append(findings, botscan.Finding{ClickID: c.ID, Place: &place, Source: u.database.Provider})
	}
	if len(findings) == 0 {
		return nil
	}
	account := u.database.AccountID
	return workers.ReviseClicks(ctx, u.store, u.o.Clicks, account, func(c db.Conn, settings bot.Settings) ([]time.Time, error) {
		return botscan.Revise(ctx, u.o.Clicks, c, account, settings, findings)
	})
}

// prefixOf returns the network of an address. All addresses of a network share one look-up.
func prefixOf(ip netip.Addr) netip.Prefix {
	bits := bitsOfIPv6
	if ip = ip.Unmap(); ip.BitLen() == bitsOfAllIPv4 {
		bits = bitsOfIPv4
	}
	p, _ := ip.Prefix(bits) // no error: the number of bits fits the address
	return p
}

// places returns the places of the clicks by prefix. It looks up the prefixes without a stored answer (see fetch) and stores the
// answers.
func (u *lookupRun) places(ctx context.Context, clicks []click.Address) (map[netip.Prefix]models.Place, error) {
	var prefixes []netip.Prefix
	first := map[netip.Prefix]netip.Addr{}
	for _, c := range clicks {
		p := prefixOf(c.IP)
		if _, ok := first[p]; !ok {
			prefixes, first[p] = append(prefixes, p), c.IP.Unmap()
		}
	}
	all, account := geodatabase.New(u.store), u.database.AccountID
	places, err := all.Answers(ctx, account, u.database.Provider, prefixes, u.now.Add(-answerRetention))
	if err != nil {
		return nil, err
	}
	unknown := db.Without(prefixes, func(p netip.Prefix) bool { _, ok := places[p]; return ok })
	answers := u.fetch(ctx, unknown, first)
	for _, a := range answers {
		places[a.Prefix] = a.Place
	}
	if len(answers) == 0 {
		return places, nil
	}
	return places, all.StoreAnswers(ctx, account, u.database.Provider, answers)
}

// fetch looks up prefixes at the provider, until a look-up fails or the run's look-ups are used up.
func (u *lookupRun) fetch(ctx context.Context, prefixes []netip.Prefix, first map[netip.Prefix]netip.Addr) (out []geodatabase.Answer) {
	if u.failure != "" {
		return nil
	}
	prefixes = prefixes[:min(len(prefixes), u.left)]
	u.left -= len(prefixes)
	var failed atomic.Bool
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(fetchesAtOnce)
	for _, p := range prefixes {
		g.Go(func() error {
			if failed.Load() {
				return nil
			}
			place, err := u.o.Lookups.Lookup(ctx, u.database.Provider, u.key, first[p])
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed.Store(true)
				u.failure = err.Error()
			} else {
				u.worked, out = true, append(out, geodatabase.Answer{Prefix: p, Place: place})
			}
			return nil
		})
	}
	_ = g.Wait() // no function returns an error
	return out
}
