package visitor

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"switchyard/models/botdata"
)

// agent describes a user agent. It does not change once it is cached, except for the fields queued and listed.
type agent struct {
	kind                                   kind
	device, brand, model                   string
	os, osVersion, browser, browserVersion string
	chrome                                 int  // major version of the Chromium engine; 0 for any other engine
	wholeVersion                           bool // the engine is recent, but the user agent states more than its major version
	engine                                 engine
	impossible                             bool // see isImpossible
	complete                               bool // the slow parsers have been run, or are not needed
	queued                                 atomic.Bool
	listed                                 atomic.Pointer[verdict] // nil: not looked up yet
}

// verdict is the result of looking an agent up in a list of crawlers.
type verdict struct {
	list *botdata.Patterns
	hit  bool
}

const (
	// inlineShare is the share of the time of all CPUs that requests may spend in the slow parsers. inlineBurst is the unspent time
	// that may accumulate. Beyond this budget a new user agent is described only by markers, which are known parts of user agents (see
	// classify).
	inlineShare = 0.05
	inlineBurst = 250 * time.Millisecond
	// workerRest is how many times longer the background worker rests than it worked before.
	workerRest  = 4
	workerQueue = 256
)

// agentCache remembers user agents. An unknown user agent is parsed completely while the budget lasts, and concurrent requests
// with the same user agent wait for that parse. Over budget, the user agent is remembered with its description by markers. If the
// same user agent comes a second time, it is probably not random, and the background worker completes its description.
type agentCache struct {
	known    *otter.Cache[string, *agent]
	load     otter.LoaderFunc[string, *agent]
	complete func(userAgent string, a *agent)
	budget   budget
	queue    chan string
	cancel   context.CancelFunc
	done     sync.WaitGroup
}

func newAgentCache(size int, complete func(string, *agent)) *agentCache {
	ctx, cancel := context.WithCancel(context.Background())
	c := &agentCache{
		known:    otter.Must(&otter.Options[string, *agent]{MaximumSize: size}),
		complete: complete, queue: make(chan string, workerQueue), cancel: cancel,
		budget: newBudget(inlineShare*float64(runtime.GOMAXPROCS(0)), inlineBurst),
	}
	c.load = func(_ context.Context, userAgent string) (*agent, error) { return c.parse(userAgent), nil }
	c.done.Go(func() { c.work(ctx) })
	return c
}

func (c *agentCache) close() {
	c.cancel()
	c.done.Wait()
	c.known.StopAllGoroutines()
}

var noAgent = &agent{kind: empty, device: Unknown, complete: true}

// listedAgent describes every user agent that only the operator's list knows as a crawler.
var listedAgent = &agent{kind: crawler, device: Bot, complete: true}

func (c *agentCache) find(userAgent string) *agent {
	if userAgent == "" {
		return noAgent
	}
	a, ok := c.known.GetIfPresent(userAgent)
	if !ok {
		a, err := c.known.Get(context.Background(), userAgent, c.load)
		if err != nil {
			return classify(userAgent)
		}
		return a
	}
	if !a.complete && a.queued.CompareAndSwap(false, true) {
		select {
		case c.queue <- userAgent:
		default:
			a.queued.Store(false)
		}
	}
	return a
}

// isListed reports whether the operator's list of crawlers contains a user agent that otherwise counts as a person's. It looks
// the user agent up once per list, within the budget of the slow parsers.
func (c *agentCache) isListed(a *agent, userAgent string, list *botdata.Patterns) bool {
	if list == nil || a.kind != human {
		return false
	}
	v := a.listed.Load()
	if v != nil && v.list == list {
		return v.hit
	}
	if !c.budget.acquire() {
		return v != nil && v.hit
	}
	start := time.Now()
	v = &verdict{list, list.Match(userAgent)}
	a.listed.Store(v)
	c.budget.spend(time.Since(start))
	return v.hit
}

func (c *agentCache) parse(userAgent string) *agent {
	a := classify(userAgent)
	if !c.budget.acquire() {
		return a
	}
	start := time.Now()
	c.finish(userAgent, a)
	c.budget.spend(time.Since(start))
	return a
}

// finish completes an agent. If a third-party parser panics, the agent keeps the properties that it has by then.
func (c *agentCache) finish(userAgent string, a *agent) {
	defer func() {
		_ = recover()
		a.complete = true
	}()
	c.complete(userAgent, a)
}

func (c *agentCache) storeComplete(userAgent string) {
	a := classify(userAgent)
	c.finish(userAgent, a)
	c.known.Set(userAgent, a)
}

func (c *agentCache) work(ctx context.Context) {
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-rest.C:
		}
		select {
		case <-ctx.Done():
			return
		case userAgent := <-c.queue:
			start := time.Now()
			c.storeComplete(userAgent)
			rest.Reset(workerRest * time.Since(start))
		}
	}
}

// budget is a bucket of CPU time. Only one caller at a time may hold it.
type budget struct {
	mu    *sync.Mutex
	share float64 // seconds of CPU time per second
	burst time.Duration
	left  time.Duration
	since time.Time
}

func newBudget(share float64, burst time.Duration) budget {
	return budget{mu: new(sync.Mutex), share: share, burst: burst, left: burst, since: time.Now()}
}

// acquire reports whether the caller may spend CPU time now. If so, the caller holds the budget until it calls spend.
func (b *budget) acquire() bool {
	if !b.mu.TryLock() {
		return false
	}
	now := time.Now()
	b.left = min(b.burst, b.left+time.Duration(float64(now.Sub(b.since))*b.share))
	b.since = now
	if b.left <= 0 {
		b.mu.Unlock()
		return false
	}
	return true
}

func (b *budget) spend(d time.Duration) {
	b.left -= d
	b.mu.Unlock()
}
