package click

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db/store"
	"switchyard/models/flow"
)

// refreshUsage is how often counts of other processes and of conversions are read.
const refreshUsage = 5 * time.Second

// usage counts clicks of the day of paths and campaigns. Clicks of this process count at once, those of other
// processes when they are read from PostgreSQL; so a cap is exact for one process, and may be passed for a few seconds
// by several. While PostgreSQL is away each process holds the whole cap.
type usage struct {
	mu     sync.RWMutex
	counts map[uuid.UUID]*count
}

// count is the clicks of one day.
type count struct {
	mu    sync.Mutex
	day   int
	local int // of this process, today
	read  int // in PostgreSQL, today, when last read
	since int // local since then
}

func newUsage() *usage { return &usage{counts: map[uuid.UUID]*count{}} }

// localDay numbers the days of a time zone.
func localDay(now time.Time, zone *time.Location) int {
	y, m, d := now.In(zone).Date()
	return (y*100+int(m))*100 + d
}

func (u *usage) of(id uuid.UUID) *count {
	u.mu.RLock()
	c := u.counts[id]
	u.mu.RUnlock()
	if c != nil {
		return c
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if c = u.counts[id]; c == nil {
		c = &count{}
		u.counts[id] = c
	}
	return c
}

func (c *count) turn(day int) {
	if c.day != day {
		c.day, c.local, c.read, c.since = day, 0, 0, 0
	}
}

func (c *count) used() int { return max(c.local, c.read+c.since) }

// admit tells whether a cap leaves room for one more click, and takes it.
func (u *usage) admit(id uuid.UUID, limit, day int, take bool) bool {
	c := u.of(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(day)
	if c.used() >= limit {
		return false
	}
	if take {
		c.local++
		c.since++
	}
	return true
}

// today gives the clicks of a day so far.
func (u *usage) today(id uuid.UUID, day int) int {
	c := u.of(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(day)
	return c.used()
}

// add counts one click.
func (u *usage) add(id uuid.UUID, day int) {
	c := u.of(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(day)
	c.local++
	c.since++
}

func (u *usage) learn(id uuid.UUID, day, n int) {
	c := u.of(id)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(day)
	c.read, c.since = n, 0
}

// forget drops counts of days that are over everywhere.
func (u *usage) forget(before int) {
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

// watchUsage reads the counts of accounts that use caps until the context ends.
func (h *Handler) watchUsage(ctx context.Context) {
	tick := time.NewTicker(refreshUsage)
	defer tick.Stop()
	for {
		if err := h.readUsage(ctx, time.Now()); err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "counts of daily caps could not be read", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// readUsage reads what paths and campaigns have had today, and shuts and opens capped offers.
func (h *Handler) readUsage(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	s := h.keeper.current.Load()
	for id, offers := range s.capped() {
		a := s.account(id)
		y, m, d := now.In(a.zone).Date()
		since := time.Date(y, m, d, 0, 0, 0, 0, a.zone)
		used, err := store.RoutingUsage(ctx, h.keeper.conn, id, since)
		if err != nil {
			return err
		}
		for key, n := range used.Clicks {
			h.usage.learn(key, localDay(now, a.zone), n)
		}
		for _, ref := range offers {
			o := asOffer(ref)
			ref.SetCapped(o.row.DailyCap != nil && used.Conversions[o.row.ID] >= *o.row.DailyCap)
		}
	}
	h.usage.forget(localDay(now.Add(-48*time.Hour), time.UTC))
	return nil
}

// capped lists the accounts whose campaigns look at clicks of the day, and those with offers that have a daily cap or
// had one.
func (s *snapshot) capped() map[uuid.UUID][]*flow.Ref {
	m := map[uuid.UUID][]*flow.Ref{}
	for _, ref := range s.refs.all {
		if o := asOffer(ref); o != nil && (o.row.DailyCap != nil || ref.Capped()) {
			m[o.row.AccountID] = append(m[o.row.AccountID], ref)
		}
	}
	for _, c := range s.campaigns.all {
		if _, listed := m[c.row.AccountID]; !listed && c.active() && c.counts {
			m[c.row.AccountID] = nil
		}
	}
	return m
}
