package crawler

import (
	"context"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"switchyard/db/botscan"
	"switchyard/models/bot"
)

// lookUpTimeout is the time limit for all look-ups of one run.
const lookUpTimeout = time.Minute

// lookUp looks addresses up. It leaves out addresses whose look-up failed.
func (w *worker) lookUp(ctx context.Context, list []botscan.CrawlerAddress) (out []botscan.CrawlerAnswer) {
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(lookUpsInParallel)
	failed := 0
	var failure error
	for _, c := range list {
		g.Go(func() error {
			verified, err := confirm(ctx, w.o.Names, c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed, failure = failed+1, err
			} else {
				out = append(out, botscan.CrawlerAnswer{CrawlerAddress: c, Verified: verified})
			}
			return nil
		})
	}
	_ = g.Wait() // no function returns an error
	if failed > 0 {
		slog.WarnContext(ctx, "names of crawlers' addresses could not be looked up", "addresses", failed, "error", failure)
	}
	return out
}

// maxNames is the maximum number of names of an address that are checked.
const maxNames = 10

// confirm reports whether an address belongs to the claimed crawler. It returns an error if DNS could not tell.
func confirm(ctx context.Context, names Names, c botscan.CrawlerAddress) (verified bool, err error) {
	crawler, _ := bot.CrawlerNamed(c.Crawler)
	list, err := names.LookupAddr(ctx, c.Address)
	if err != nil {
		return false, err
	}
	list = slices.DeleteFunc(list, func(name string) bool { return !crawler.Owns(name) })
	for _, name := range list[:min(len(list), maxNames)] {
		addresses, failed := names.Addresses(ctx, name)
		if failed != nil {
			err = failed
		}
		if slices.ContainsFunc(addresses, func(a netip.Addr) bool { return a == c.Address }) {
			return true, nil
		}
	}
	return false, err
}
