package click

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db/kv"
	"switchyard/models/interval"
)

// How often counts are read from PostgreSQL: clicks, as a safety net under Redis, and conversions.
const (
	refreshClicks      = 5 * time.Second
	refreshConversions = time.Second
	countTimeout       = 30 * time.Second
)

// flushEvery is how often a process adds its clicks to the counts in Redis, at most.
const flushEvery = 10 * time.Millisecond

// capCounter counts today's clicks of paths and campaigns.
//
// All processes share a path's cap. Far from the cap, each process counts for itself and adds its clicks to Redis every
// flushEvery. Near the cap, each click asks Redis, so that not one click too many is taken. A figure that a process holds is
// never higher than the true one. While Redis is away, or after it was emptied, a cap may therefore be exceeded, but no visitor
// is refused below it. Clicks in PostgreSQL always count. The clicks of a campaign are counted by PostgreSQL and the process
// alone.
type capCounter struct {
	caps    *kv.Caps // nil: this process is the only one
	mu      sync.RWMutex
	counts  map[uuid.UUID]*count
	waiting chan *count // that have something to flush
}

// count is the clicks of one day.
type count struct {
	id      uuid.UUID
	mu      sync.Mutex
	day     int
	total   int  // of all processes, as Redis said last
	own     int  // of this process, not in Redis yet
	read    int  // in PostgreSQL, when last read
	since   int  // of this process since then
	asked   bool // Redis, today
	waiting bool // in capCounter.waiting
}

func newCapCounter(caps *kv.Caps) *capCounter {
	return &capCounter{caps: caps, counts: map[uuid.UUID]*count{}, waiting: make(chan *count, 4096)}
}

// localDay numbers the days of a time zone.
func localDay(now time.Time, zone *time.Location) int {
	y, m, d := now.In(zone).Date()
	return (y*100+int(m))*100 + d
}

// lock gives the count of a day, locked: the caller unlocks it.
func (u *capCounter) lock(id uuid.UUID, day int) *count {
	c := u.of(id)
	c.mu.Lock()
	c.rollDay(day)
	return c
}

func (u *capCounter) of(id uuid.UUID) *count {
	u.mu.RLock()
	c := u.counts[id]
	u.mu.RUnlock()
	if c != nil {
		return c
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if c = u.counts[id]; c == nil {
		c = &count{id: id}
		u.counts[id] = c
	}
	return c
}

func (c *count) rollDay(day int) {
	if c.day != day {
		c.day, c.total, c.own, c.read, c.since, c.asked = day, 0, 0, 0, 0, false
	}
}

// used returns at most the clicks that all processes have taken: neither of the two sums can exceed the true number.
func (c *count) used() int { return max(c.total+c.own, c.read+c.since) }

func (c *count) add() {
	c.own++
	c.since++
}

// near reports whether the next click must ask Redis. It must if other processes may be about to reach the cap too, or if this
// process has taken a quarter of a percent of the cap that the others do not know of. A few processes together therefore never
// take more than one percent too many.
func (c *count) near(limit int) bool {
	return !c.asked || limit-c.used() <= 256+limit/50 || c.own >= limit/400
}

// exchange adds this process's clicks to the count in Redis and reads what all took. With a limit it takes one more if
// there is room. The caller holds the lock, so that nothing is added twice.
func (c *count) exchange(caps *kv.Caps, limit int) (taken bool, err error) {
	floor := max(c.total, c.used()-c.own)
	total, taken, err := caps.Reserve(context.Background(), c.id.String()+":"+strconv.Itoa(c.day), c.own, floor, limit)
	switch {
	case errors.Is(err, kv.ErrAway):
		return false, err
	case err != nil:
		c.total, c.own = c.total+c.own, 0 // it may have arrived: adding it again could count it twice
		return false, err
	}
	c.total, c.own, c.asked = total, 0, true
	if taken {
		c.since++
	}
	return taken, nil
}

// admit reports whether a cap leaves room for one more click, and takes it.
func (u *capCounter) admit(id uuid.UUID, limit, day int, take bool) bool {
	c := u.lock(id, day)
	defer c.mu.Unlock()
	if c.used() >= limit {
		return false
	}
	if !take {
		return true
	}
	if u.caps == nil {
		c.add()
		return true
	}
	if c.near(limit) {
		taken, err := c.exchange(u.caps, limit)
		if err == nil {
			return taken
		}
		if !errors.Is(err, kv.ErrAway) { // Redis may have taken it
			c.total++
			c.since++
			return true
		}
	}
	c.add()
	u.enqueue(c)
	return true
}

// enqueue notes that a count has something to flush. The caller holds the lock.
func (u *capCounter) enqueue(c *count) {
	if c.waiting {
		return
	}
	select {
	case u.waiting <- c:
		c.waiting = true
	default: // the next click tries again
	}
}

// run adds to the counts in Redis what this process takes, until the context ends.
func (u *capCounter) run(ctx context.Context) {
	for u.caps != nil {
		select {
		case <-ctx.Done():
			return
		case c := <-u.waiting:
			u.flushOne(c)
		}
		u.flush()
		if interval.Sleep(ctx, flushEvery) != nil {
			return
		}
	}
}

func (u *capCounter) flush() {
	for range len(u.waiting) {
		u.flushOne(<-u.waiting)
	}
}

func (u *capCounter) flushOne(c *count) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = false
	if c.own > 0 {
		if _, err := c.exchange(u.caps, 0); errors.Is(err, kv.ErrAway) {
			u.enqueue(c)
		}
	}
}

// today gives the clicks of a day so far.
func (u *capCounter) today(id uuid.UUID, day int) int {
	c := u.lock(id, day)
	defer c.mu.Unlock()
	return c.used()
}

// add counts one click.
func (u *capCounter) add(id uuid.UUID, day int) {
	c := u.lock(id, day)
	defer c.mu.Unlock()
	c.add()
}

// sync takes over what is in PostgreSQL.
func (u *capCounter) sync(id uuid.UUID, day, n int) {
	c := u.lock(id, day)
	defer c.mu.Unlock()
	c.read, c.since = n, 0
}

// prune drops counts of days that are over everywhere.
func (u *capCounter) prune(before int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for id, c := range u.counts {
		c.mu.Lock()
		old := c.day < before
		c.mu.Unlock()
		if old {
			delete(u.counts, id)
		}
	}
}

// syncCounts reads the counts of accounts that use caps, until the context ends.
func (h *Handler) syncCounts(ctx context.Context) {
	clicks, conversions := time.NewTicker(refreshClicks), time.NewTicker(refreshConversions)
	defer clicks.Stop()
	defer conversions.Stop()
	read := func(what func(context.Context, time.Time) error) {
		if err := what(ctx, time.Now()); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "counts of daily caps could not be read", "error", err)
		}
	}
	read(h.readClicks)
	read(h.readConversions)
	for {
		select {
		case <-ctx.Done():
			return
		case <-clicks.C:
			read(h.readClicks)
		case <-conversions.C:
			read(h.readConversions)
		}
	}
}

// readClicks reads what paths and campaigns have had today.
func (h *Handler) readClicks(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	s := h.routes.Current()
	for id := range s.CountingAccounts() {
		a := s.Account(id)
		used, err := h.usage.ClicksSince(ctx, id, a.DayStart(now))
		if err != nil {
			return err
		}
		for key, n := range used {
			h.caps.sync(key, localDay(now, a.Zone), n)
		}
	}
	h.caps.prune(localDay(now.Add(-48*time.Hour), time.UTC))
	return nil
}

// readConversions reads what offers have had today, and shuts and opens them.
func (h *Handler) readConversions(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	s := h.routes.Current()
	for id, offers := range s.CappedOffers() {
		from := s.Account(id).DayStart(now)
		used, err := h.usage.ConversionsIn(ctx, id, from, from.AddDate(0, 0, 2))
		if err != nil {
			return err
		}
		for _, o := range offers {
			o.SetConversions(used[o.Row.ID])
		}
	}
	return nil
}
