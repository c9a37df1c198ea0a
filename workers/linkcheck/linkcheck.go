// Package linkcheck finds out whether the links of active offers and landing pages still answer, and whether a list of
// unsafe addresses has them. What it finds is in GET /alerts; what changes is an event, stored with the finding.
//
// A link works when it answers at all but with 404, 410 or a failure of the server's own: a shop that shows a robot 403
// shows visitors its page. Two checks in a row that fail make a broken link, so that an hour's trouble is no news.
package linkcheck

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/token"
	"switchyard/workers"
	"switchyard/workers/egress"
	"switchyard/workers/providers/safebrowsing"
)

// Options of the checks. Store and Egress are required.
type Options struct {
	Store  *store.Store
	Egress *egress.Client    // must take http and https
	List   safebrowsing.List // nil: links are not looked up
	Limit  time.Duration     // for one request, from the look-up of the name to the last byte; default 10 seconds
	Pause  time.Duration     // between two requests to one host; default 250 ms, less than 0: none
	Hosts  int               // tried at once; each gets one request at a time; default 32
	Now    func() time.Time  // default time.Now
}

// Register adds the handlers to a runtime.
func Register(r *workers.Runtime, o Options) {
	if o.Limit == 0 {
		o.Limit = 10 * time.Second
	}
	if o.Pause == 0 {
		o.Pause = 250 * time.Millisecond
	}
	if o.Hosts == 0 {
		o.Hosts = 32
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &checker{o: o, client: r.Client()}
	workers.Register(r, jobs.SweepLinks, c.sweep)
	workers.Register(r, jobs.ScreenLinks, c.screen)
}

type checker struct {
	o      Options
	client *jobs.Client
}

const (
	batch = 500 // links read, tried and recorded at once
	// A sweep leaves out what was checked a little less than an hour ago, however long the last one took.
	checkEvery = 50 * time.Minute
	// A look-up may cost the operator money, and lists change slowly.
	screenEvery = 5 * time.Hour
)

// errOffline says that nobody at all could be reached: the fault is on our side, and no link is blamed for it.
var errOffline = errors.New("linkcheck: no host could be reached")

// sweep tries the links that are due. The run may be cut at any moment: what was recorded is not due any more.
func (c *checker) sweep(ctx context.Context, _ jobs.Tick) (jobs.None, error) {
	start := c.o.Now()
	err := c.batches(ctx, start.Add(-checkEvery), c.o.Store.Links().Unchecked, c.check(map[string]models.LinkResult{}))
	if err == nil {
		_, err = c.o.Store.Links().Forget(ctx)
	}
	message := "the links could not be checked"
	if errors.Is(err, errOffline) {
		message = "no link could be reached: this install seems to be offline"
	}
	return jobs.None{}, c.note(ctx, models.ServiceLinkChecks, message, err)
}

// screen looks the links up that are due.
func (c *checker) screen(ctx context.Context, _ jobs.Tick) (jobs.None, error) {
	now := c.o.Now()
	if c.o.List == nil {
		return jobs.None{}, c.o.Store.Links().SaveService(ctx, models.LinkService{
			Name: models.ServiceSafeBrowsing, Status: models.ServiceOff, CheckedAt: now,
			Message: "this install has no key for a list of unsafe addresses",
		})
	}
	err := c.batches(ctx, now.Add(-screenEvery), c.o.Store.Links().Unscreened, c.lookUp)
	return jobs.None{}, c.note(ctx, models.ServiceSafeBrowsing, "the list of unsafe addresses could not be asked", err)
}

// batches works through what is due until nothing is, or nothing new comes.
func (c *checker) batches(ctx context.Context, since time.Time,
	due func(context.Context, time.Time, int) ([]models.Link, error), work func(context.Context, []models.Link) error,
) error {
	done := map[uuid.UUID]string{}
	for {
		links, err := due(ctx, since, batch)
		if err != nil {
			return err
		}
		fresh := links[:0:0]
		for _, l := range links {
			if done[l.ID] != l.URL {
				fresh = append(fresh, l)
				done[l.ID] = l.URL
			}
		}
		if len(fresh) == 0 {
			return nil
		}
		if err := work(ctx, fresh); err != nil {
			return err
		}
	}
}

// note writes how a run ended, and passes its error on. Message is for customers.
func (c *checker) note(ctx context.Context, name, message string, err error) error {
	s := models.LinkService{Name: name, Status: models.ServiceOK, CheckedAt: c.o.Now()}
	if err != nil {
		s.Status, s.Message = models.ServiceFailing, message
	}
	// The time of the run may be used up; the note is written all the same.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Join(err, c.o.Store.Links().SaveService(limited, s))
}

// check tries the URLs of a batch, each once in a sweep, and records what it found.
func (c *checker) check(known map[string]models.LinkResult) func(context.Context, []models.Link) error {
	return func(ctx context.Context, links []models.Link) error {
		var urls []string
		for _, l := range links {
			u := c.filled(l)
			if _, tried := known[u]; !tried {
				urls = append(urls, u)
				known[u] = models.LinkResult{}
			}
		}
		results, err := c.probeAll(ctx, urls)
		if err != nil {
			return err
		}
		for u, r := range results {
			known[u] = r
		}
		for _, l := range links {
			deliveries, err := c.o.Store.Links().RecordCheck(ctx, l, known[c.filled(l)])
			if err != nil {
				return err
			}
			c.announce(ctx, models.EventLinkBroken, l, deliveries)
		}
		return nil
	}
}

// lookUp asks the list about the URLs of a batch and records what it says.
func (c *checker) lookUp(ctx context.Context, links []models.Link) error {
	seen := map[string]bool{}
	var urls []string
	for _, l := range links {
		if u := c.filled(l); !seen[u] {
			seen[u] = true
			urls = append(urls, u)
		}
	}
	threats := map[string][]string{}
	for len(urls) > 0 {
		n := min(c.o.List.AtOnce(), len(urls))
		found, err := c.o.List.Lookup(ctx, urls[:n])
		if err != nil {
			return err
		}
		for u, t := range found {
			threats[u] = t
		}
		urls = urls[n:]
	}
	for _, l := range links {
		u := c.filled(l)
		deliveries, err := c.o.Store.Links().RecordScreen(ctx, l, c.o.List.Name(), c.o.Now(), threats[u])
		if err != nil {
			return err
		}
		c.announce(ctx, models.EventLinkUnsafe, l, deliveries)
	}
	return nil
}

// filled is the address of a link as a visitor gets it. It does not change during a day, so that it can be a key.
func (c *checker) filled(l models.Link) string {
	return token.Example(l.URL, c.o.Now().UTC().Truncate(24*time.Hour))
}

// announce enqueues the deliveries of an event after its commit; what fails, the reconciler does.
func (c *checker) announce(ctx context.Context, event string, l models.Link, deliveries []uuid.UUID) {
	if len(deliveries) == 0 {
		return
	}
	slog.InfoContext(ctx, "link announced", "event", event, "account_id", l.AccountID, "kind", l.Kind, "id", l.ID)
	c.client.DispatchFor(ctx, l.AccountID, models.KindDeliverWebhook, deliveries...)
}
