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

// refreshClicks and refreshConversions are the intervals at which counts are read from PostgreSQL.
const (
	refreshClicks      = 5 * time.Second
	refreshConversions = time.Second
	countTimeout       = 30 * time.Second
)

// flushEvery is the pause between two flushes. A flush adds this process's clicks to the counts in Redis.
const flushEvery = 10 * time.Millisecond

// capCounter counts today's clicks of paths and campaigns.
//
// All processes share a path's cap. Far from the cap, each process counts for itself and adds its clicks to Redis every
// flushEvery. Near the cap, each click asks Redis. With a few processes, a cap is exceeded by at most one percent. While Redis
// cannot be reached, or after it was emptied, a cap may be exceeded by more, but no visitor is refused below the cap. The clicks
// of a campaign are not counted in Redis, only in PostgreSQL and in the process.
type capCounter struct {
	caps    *kv.Caps // nil: this process is the only one
	mu      sync.RWMutex
	counts  map[uuid.UUID]*count
	waiting chan *count // counts with clicks to flush
}

// count is the number of clicks of one path or campaign on one day.
type count struct {
	id      uuid.UUID
	mu      sync.Mutex
	day     int
	total   int  // clicks of all processes, by the last answer of Redis
	pending int  // clicks of this process that are not in Redis yet
	stored  int  // clicks in PostgreSQL at the last reading
	since   int  // clicks of this process since the last reading
	synced  bool // Redis has answered today
	waiting bool // the count is in capCounter.waiting
}

func newCapCounter(caps *kv.Caps) *capCounter {
	return &capCounter{caps: caps, counts: map[uuid.UUID]*count{}, waiting: make(chan *count, 4096)}
}

// localDay returns the date in a time zone as a number, such as 20261231.
func localDay(now time.Time, zone *time.Location) int {
	y, m, d := now.In(zone).Date()
	return (y*100+int(m))*100 + d
}

// lock returns the count of a day, locked.
func (u *capCounter) lock(id uuid.UUID, day int) *count {
	c := u.find(id)
	c.mu.Lock()
	c.rollDay(day)
	return c
}

func (u *capCounter) find(id uuid.UUID) *count {
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
		c.day, c.total, c.pending, c.stored, c.since, c.synced = day, 0, 0, 0, 0, false
	}
}

// used returns the number of clicks taken, as far as this process knows. Both sums are at most the true number, so the larger one
// is used.
func (c *count) used() int { return max(c.total+c.pending, c.stored+c.since) }

func (c *count) add() {
	c.pending++
	c.since++
}

// near reports whether the next click must ask Redis. This is so in three cases: Redis has not answered today, the cap is so near
// that other processes may reach it, or this process has taken a quarter of a percent of the cap without reporting it.
func (c *count) near(limit int) bool {
	return !c.synced || limit-c.used() <= 256+limit/50 || c.pending >= limit/400
}

// exchange adds this process's clicks to the count in Redis and reads the total of all processes. With a limit above 0 it also
// takes one more click if there is room. The caller holds the lock, so that nothing is added twice.
func (c *count) exchange(caps *kv.Caps, limit int) (taken bool, err error) {
	floor := max(c.total, c.used()-c.pending) // the count that Redis should have at least; Redis may have been emptied
	total, taken, err := caps.Reserve(context.Background(), c.id.String()+":"+strconv.Itoa(c.day), c.pending, floor, limit)
	switch {
	case errors.Is(err, kv.ErrAway):
		return false, err
	case err != nil:
		c.total, c.pending = c.total+c.pending, 0 // the clicks may have arrived: adding them again could count them twice
		return false, err
	}
	c.total, c.pending, c.synced = total, 0, true
	if taken {
		c.since++
	}
	return taken, nil
}

// admit reports whether a cap leaves room for one more click. If take is set, it also counts this click.
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
		if !errors.Is(err, kv.ErrAway) { // Redis may have counted the click
			c.total++
			c.since++
			return true
		}
	}
	c.add()
	u.enqueue(c)
	return true
}

// enqueue marks a count for the next flush. The caller holds the lock.
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

// run adds this process's clicks to the counts in Redis, until the context ends.
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
	if c.pending > 0 {
		if _, err := c.exchange(u.caps, 0); errors.Is(err, kv.ErrAway) {
			u.enqueue(c)
		}
	}
}

func (u *capCounter) today(id uuid.UUID, day int) int {
	c := u.lock(id, day)
	defer c.mu.Unlock()
	return c.used()
}

func (u *capCounter) add(id uuid.UUID, day int) {
	c := u.lock(id, day)
	defer c.mu.Unlock()
	c.add()
}

// sync sets the number of a day's clicks that are in PostgreSQL.
func (u *capCounter) sync(id uuid.UUID, day, n int) {
	c := u.lock(id, day)
	defer c.mu.Unlock()
	c.stored, c.since = n, 0
}

// prune deletes the counts of the days before a given day. These days must have ended in every time zone.
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

// syncCounts reads the counts that caps and conditions need, until the context ends.
func (h *Handler) syncCounts(ctx context.Context) {
	clicks, conversions := time.NewTicker(refreshClicks), time.NewTicker(refreshConversions)
	defer clicks.Stop()
	defer conversions.Stop()
	refresh := func(read func(context.Context, time.Time) error) {
		if err := read(ctx, time.Now()); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "counts of daily caps could not be read", "error", err)
		}
	}
	refresh(h.readClicks)
	refresh(h.readConversions)
	for {
		select {
		case <-ctx.Done():
			return
		case <-clicks.C:
			refresh(h.readClicks)
		case <-conversions.C:
			refresh(h.readConversions)
		}
	}
}

// readClicks reads today's clicks of paths and campaigns from PostgreSQL.
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

// readConversions reads today's conversions of capped offers.
func (h *Handler) readConversions(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, countTimeout)
	defer cancel()
	s := h.routes.Current()
	for id, offers := range s.CappedOffers() {
		from := s.Account(id).DayStart(now)
		// The end of the range is in the future, and no conversion is later than now. So these are all conversions of today.
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
