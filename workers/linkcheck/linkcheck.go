// Package linkcheck requests the links of active offers and landing pages, and looks up these links and the tracking domains in a
// list of unsafe addresses. GET /alerts shows the results. If a link becomes broken or unsafe, an event is stored with the
// result.
//
// A link works if it answers with any status except 404, 410 and 5xx: a shop that refuses robots with 403 still serves visitors.
// It is broken when all checks have failed for half an hour, so that a short outage causes no event.
package linkcheck

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/token"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/providers/safebrowsing"
)

// Options of Register. Store and Egress are required.
type Options struct {
	Store   *store.Store
	Egress  *egress.Client    // must allow http and https
	List    safebrowsing.List // nil: links are not looked up
	Timeout time.Duration     // for one request, from DNS to the last byte; default 10 seconds
	Pause   time.Duration     // between requests to a host; default 250 ms; negative: none
	Hosts   int               // hosts requested in parallel, one request each; default 32
	Now     func() time.Time  // default time.Now
}

// Register registers the handlers.
func Register(r *workers.Runtime, o Options) {
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Pause = cmp.Or(o.Pause, 250*time.Millisecond)
	o.Hosts = cmp.Or(o.Hosts, 32)
	o.Now = workers.Clock(o.Now)
	c := &checker{o: o, client: r.Client()}
	workers.RegisterTick(r, jobs.SweepLinks, c.sweep)
	workers.RegisterTick(r, jobs.ScreenLinks, c.screen)
	workers.Register(r, jobs.CheckLink, c.checkOne)
}

type checker struct {
	o      Options
	client *jobs.Client
}

const (
	batch = 500 // links in one batch
	// A link is due again after less than the hour between sweeps, because a sweep takes time.
	checkEvery = 50 * time.Minute
	// A look-up may cost money, and lists change slowly. A tracking domain is looked up in every run: there are few, and a
	// browser that warns of one turns away every visitor.
	screenEvery = 5 * time.Hour
	domainEvery = 15 * time.Minute
)

// errOffline means that no host could be reached. This install is then probably offline, so no link is recorded as failing.
var errOffline = errors.New("linkcheck: no host could be reached")

// sweep checks the links that are due. It may be interrupted at any time: a recorded link is not due again until
// checkEvery has passed.
func (c *checker) sweep(ctx context.Context) error {
	start := c.o.Now()
	due := func(limit int) ([]models.Link, error) {
		return c.o.Store.Links().Unchecked(ctx, start.Add(-checkEvery), limit)
	}
	results := map[string]models.LinkResult{}
	err := c.batches(ctx, due, c.check(results))
	if err == nil {
		_, err = c.o.Store.Links().Prune(ctx)
	}
	message := ""
	switch {
	case errors.Is(err, errOffline):
		message = "No link could be reached: this install seems to be offline."
	case err != nil:
		message = "The links could not be checked."
	case unanswered(results):
		message = "No link could be reached. Maybe this install has no connection to the internet."
	}
	return c.saveStatus(ctx, models.ServiceLinkChecks, message, err)
}

func (c *checker) screen(ctx context.Context) error {
	now := c.o.Now()
	if c.o.List == nil {
		return c.o.Store.Links().SaveService(ctx, models.LinkService{
			Name: models.ServiceSafeBrowsing, Status: models.ServiceOff, CheckedAt: now,
			Message: "This install has no key for a list of unsafe URLs.",
		})
	}
	due := func(limit int) ([]models.Link, error) {
		return c.o.Store.Links().Unscreened(ctx, now.Add(-screenEvery), now.Add(-domainEvery), limit)
	}
	err := c.batches(ctx, due, c.lookUp)
	message := ""
	if err != nil {
		message = "The list of unsafe URLs could not be read."
	}
	return c.saveStatus(ctx, models.ServiceSafeBrowsing, message, err)
}

// batches passes batches of due links to the function work. It passes a link again only if its URL has changed, even if the link is
// still due because its result was not recorded.
func (c *checker) batches(ctx context.Context, due func(limit int) ([]models.Link, error),
	work func(context.Context, []models.Link) error,
) error {
	done := map[uuid.UUID]string{}
	for again := 0; ; { // again: the number of links that are still due although they were passed
		limit := again + batch
		links, err := due(limit)
		if err != nil {
			return err
		}
		var fresh []models.Link
		for _, l := range links {
			if done[l.ID] != l.URL {
				fresh = append(fresh, l)
				done[l.ID] = l.URL
			}
		}
		again = len(links) - len(fresh)
		switch {
		case len(fresh) > 0:
			if err := work(ctx, fresh); err != nil {
				return err
			}
		case again < limit:
			return nil
		}
	}
}

// saveStatus stores how a run ended, and returns its error. message tells customers what is wrong; empty: nothing.
func (c *checker) saveStatus(ctx context.Context, name, message string, err error) error {
	s := models.LinkService{Name: name, Status: models.ServiceOK, CheckedAt: c.o.Now()}
	if message != "" {
		s.Status, s.Message = models.ServiceFailing, message
	}
	// The context of the run may have ended.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Join(err, c.o.Store.Links().SaveService(limited, s))
}

// check requests the URLs of a batch and records the results. Its argument holds the results of this sweep so far.
func (c *checker) check(known map[string]models.LinkResult) func(context.Context, []models.Link) error {
	return func(ctx context.Context, links []models.Link) error {
		var urls []string
		filled := db.Map(links, c.filled)
		for _, u := range filled {
			if _, tried := known[u]; !tried {
				urls = append(urls, u)
				known[u] = models.LinkResult{}
			}
		}
		results, err := c.probeAll(ctx, urls)
		if err != nil {
			return err
		}
		maps.Copy(known, results)
		for i, l := range links {
			deliveries, err := c.o.Store.Links().RecordCheck(ctx, l, known[filled[i]])
			if err != nil {
				return err
			}
			c.announce(ctx, models.EventLinkBroken, l, deliveries)
		}
		return nil
	}
}

// checkOne checks one link for a waiting caller, and records the result as a sweep does.
func (c *checker) checkOne(ctx context.Context, a jobs.CheckLinkArgs) (jobs.CheckLinkAnswer, error) {
	l, err := c.o.Store.Links().Find(ctx, workers.Account(ctx), a.Kind, a.ID)
	if err != nil {
		return jobs.CheckLinkAnswer{}, err
	}
	requested := c.filled(l)
	results, err := c.probeAll(ctx, []string{requested})
	if err != nil {
		return jobs.CheckLinkAnswer{}, err
	}
	r := results[requested]
	deliveries, err := c.o.Store.Links().RecordCheck(ctx, l, r)
	if err != nil {
		return jobs.CheckLinkAnswer{}, err
	}
	c.announce(ctx, models.EventLinkBroken, l, deliveries)
	return jobs.CheckLinkAnswer{CheckLinkArgs: a, URL: requested, At: r.At, Status: r.Status, Error: r.Error}, nil
}

func (c *checker) lookUp(ctx context.Context, links []models.Link) error {
	filled := db.Map(links, c.filled)
	urls := slices.Sorted(slices.Values(filled))
	threats := map[string][]string{}
	for part := range slices.Chunk(slices.Compact(urls), c.o.List.BatchSize()) {
		found, err := c.o.List.Lookup(ctx, part)
		if err != nil {
			return err
		}
		maps.Copy(threats, found)
	}
	for i, l := range links {
		deliveries, err := c.o.Store.Links().RecordScreen(ctx, l, c.o.List.Name(), c.o.Now(), threats[filled[i]])
		if err != nil {
			return err
		}
		c.announce(ctx, models.EventLinkUnsafe, l, deliveries)
	}
	return nil
}

// filled returns the URL of a link with example values for its tokens. Some values change at midnight, so callers call it once for each
// link and keep the result.
func (c *checker) filled(l models.Link) string {
	return token.Example(l.URL, c.o.Now().UTC().Truncate(24*time.Hour))
}

// announce enqueues the deliveries of a committed event. If that fails, the reconciler does it later.
func (c *checker) announce(ctx context.Context, event string, l models.Link, deliveries []uuid.UUID) {
	if len(deliveries) == 0 {
		return
	}
	slog.InfoContext(ctx, "link announced", "event", event, "account_id", l.AccountID, "kind", l.Kind, "id", l.ID)
	c.client.DispatchFor(ctx, l.AccountID, models.KindDeliverWebhook, deliveries...)
}
