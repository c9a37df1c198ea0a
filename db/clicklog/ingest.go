package clicklog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"switchyard/db"
	"switchyard/db/spool"
)

// IngestOptions of an Ingester. The zero value is good.
type IngestOptions struct {
	BatchSize int           // records in a transaction at most, default 2000
	Interval  time.Duration // between two batches at least, default 100 ms; none when the spool waits for PostgreSQL
	// Duty is the share of time, 0 to 1, that it works while there is a backlog, so that the redirect keeps its
	// processor; default 0.6. While clicks come faster than the machine can both answer and store, it is a third.
	Duty float64
	// OnPostbacks is told after a commit which postbacks are new, so that their jobs can be dispatched at once. It
	// must not block for long. What it loses, the reconciler of the jobs finds.
	OnPostbacks func(ctx context.Context, ids []uuid.UUID)
}

// Ingester moves records from a spool to PostgreSQL.
type Ingester struct {
	spool    *spool.Spool
	db       *db.DB
	o        IngestOptions
	own      *spool.Reader
	adopted  []*spool.Reader
	days     days
	courtesy courtesy
	limit    int // records of the next batch: smaller after trouble
	waiting  map[uuid.UUID]time.Time
	sweptAt  time.Time // when adopted homes and waiting hops were last looked at
	aheadAt  time.Time
}

// NewIngester makes the ingester of a spool. A spool has one.
func NewIngester(s *spool.Spool, d *db.DB, o IngestOptions) *Ingester {
	if o.BatchSize == 0 {
		o.BatchSize = 2000
	}
	if o.Interval == 0 && !s.AckPostgres() {
		o.Interval = 100 * time.Millisecond
	}
	if o.Duty <= 0 || o.Duty > 1 {
		o.Duty = 0.6
	}
	return &Ingester{
		spool: s, db: d, o: o, own: s.Reader(), days: days{},
		limit: o.BatchSize, courtesy: newCourtesy(o.Duty), waiting: map[uuid.UUID]time.Time{},
	}
}

const (
	sweepEvery  = 2 * time.Second  // retries of hops that wait for their click
	waitForHop  = time.Minute      // how long they are remembered here; Settle finds them afterwards
	adoptEvery  = 30 * time.Second // looks for spools of processes that are gone
	maxWaitHops = 10_000
)

// Run stores what the spool has until ctx ends. It never gives up: while PostgreSQL is away everything stays on
// disk. It returns nil when ctx ended.
func (g *Ingester) Run(ctx context.Context) error {
	adopt := time.NewTicker(adoptEvery)
	defer adopt.Stop()
	g.adopt(ctx)
	for ctx.Err() == nil {
		start := time.Now()
		n, err := g.round(ctx)
		if err != nil && ctx.Err() == nil {
			slog.ErrorContext(ctx, "ingest", "error", err)
		}
		if !g.spool.AckPostgres() { // then nobody comes faster than we store
			g.courtesy.note(time.Now(), g.spool.Appended())
		}
		pause := g.pause(n, time.Since(start), err)
		if n == 0 && err == nil {
			select {
			case <-ctx.Done():
			case <-adopt.C:
				g.adopt(ctx)
			case <-g.spool.Written():
			case <-time.After(sweepEvery / 2):
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return g.close()
}

// pause is how long to leave the processor to others after a round.
func (g *Ingester) pause(n int, took time.Duration, err error) time.Duration {
	switch {
	case err != nil:
		return time.Second
	case n >= g.o.BatchSize:
		return g.courtesy.rest(took)
	case g.courtesy.rushing:
		return max(g.courtesy.rest(took), g.o.Interval)
	}
	return g.o.Interval
}

// Drain stores all that is in the spool and returns when nothing is left or ctx ends. Call it after Run has
// returned and nobody appends any more, where the disk does not outlive the process.
func (g *Ingester) Drain(ctx context.Context) error {
	for {
		n, err := g.round(ctx)
		if err != nil {
			return errors.Join(err, g.close())
		}
		if n == 0 {
			return g.close()
		}
	}
}

// round stores one batch of each queue.
func (g *Ingester) round(ctx context.Context) (int, error) {
	g.aheadOfTime(ctx)
	g.sweep(ctx)
	n, err := g.step(ctx, g.own)
	if err != nil {
		return n, err
	}
	var left []*spool.Reader
	for i, r := range g.adopted {
		m, err := g.step(ctx, r)
		if err != nil {
			g.adopted = append(left, g.adopted[i:]...)
			return n, err
		}
		n += m
		if m > 0 {
			left = append(left, r)
			continue
		}
		if err := r.Close(); err != nil {
			slog.WarnContext(ctx, "ingest adopted spool", "error", err)
		}
	}
	g.adopted = left
	return n, nil
}

// step reads one batch and stores it, whatever it takes.
func (g *Ingester) step(ctx context.Context, r *spool.Reader) (int, error) {
	items, err := r.Read(g.courtesy.bite(g.limit))
	if err != nil {
		return 0, err
	}
	if err := g.persist(ctx, r, items); err != nil {
		r.Rewind()
		return 0, err
	}
	return len(items), r.Commit()
}

// persist stores the items. Data that PostgreSQL refuses is narrowed down by halving and put aside; everything else
// is tried again until it works or ctx ends.
func (g *Ingester) persist(ctx context.Context, r *spool.Reader, items []spool.Item) error {
	good := items[:0:0]
	for _, it := range items {
		if it.Err != nil {
			if err := r.Reject(ctx, it, it.Err); err != nil {
				return err
			}
			continue
		}
		good = append(good, it)
	}
	for len(good) > 0 {
		n := min(len(good), g.limit)
		err := g.commit(ctx, good[:n])
		switch {
		case err == nil:
			good = good[n:]
			g.limit = min(g.limit*2, g.o.BatchSize)
		case !bad(err):
			return fmt.Errorf("clicklog: ingest: %w", err)
		case n == 1:
			if err := r.Reject(ctx, good[0], err); err != nil {
				return err
			}
			good = good[1:]
		default:
			clear(g.days) // a partition may have been dropped meanwhile
			g.limit = max(n/2, 1)
		}
	}
	return nil
}

// bad tells whether the data itself is refused. A click that another process stored at the same moment is not bad:
// the next try finds it.
func bad(err error) bool {
	return errors.Is(err, errRefused) || db.BadData(err) && db.UniqueViolation(err) == ""
}

const (
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = 2 * time.Second
	logEvery     = 30 * time.Second
	txTimeout    = time.Minute
)

// commit stores the items in one transaction, and tries again while PostgreSQL is away or another transaction was
// in the way.
func (g *Ingester) commit(ctx context.Context, items []spool.Item) error {
	b := newBatch(items)
	backoff := firstBackoff
	var logged time.Time
	for {
		out, err := g.try(ctx, b)
		if err == nil {
			g.after(ctx, out)
			return nil
		}
		if bad(err) || ctx.Err() != nil {
			return err
		}
		if !collided(err) && time.Since(logged) > logEvery {
			slog.WarnContext(ctx, "ingest waits for PostgreSQL", "error", err)
			logged = time.Now()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(backoff):
		}
		if backoff = min(backoff*2, lastBackoff); collided(err) {
			backoff = firstBackoff
		}
		b = newBatch(items) // what was decided in the failed transaction is void
	}
}

func (g *Ingester) try(ctx context.Context, b ingestBatch) (stored, error) {
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	if err := g.days.ensure(ctx, g.db, b.moments()); err != nil {
		return stored{}, err
	}
	return b.store(ctx, g.db)
}

// collided tells whether two transactions met, which is nothing to report.
func collided(err error) bool {
	if errors.Is(err, errRaced) || db.UniqueViolation(err) != "" {
		return true
	}
	e, ok := errors.AsType[*pq.Error](err)
	return ok && e.Code.Class() == "40"
}

func (g *Ingester) after(ctx context.Context, out stored) {
	for _, id := range out.missing {
		if _, known := g.waiting[id]; !known && len(g.waiting) < maxWaitHops {
			g.waiting[id] = time.Now()
		}
	}
	if g.o.OnPostbacks != nil && len(out.postbacks) > 0 {
		g.o.OnPostbacks(context.WithoutCancel(ctx), out.postbacks)
	}
}

// sweep tries again to apply the hops that came before their clicks.
func (g *Ingester) sweep(ctx context.Context) {
	if len(g.waiting) == 0 || time.Since(g.sweptAt) < sweepEvery {
		return
	}
	g.sweptAt = time.Now()
	out, err := g.try(ctx, ingestBatch{retry: sortedIDs(g.waiting)})
	if err != nil {
		if !collided(err) {
			slog.DebugContext(ctx, "ingest sweep", "error", err)
		}
		return
	}
	still := map[uuid.UUID]time.Time{}
	for _, id := range out.missing {
		if since := g.waiting[id]; time.Since(since) < waitForHop {
			still[id] = since
		}
	}
	g.waiting = still
}

// aheadOfTime makes the partitions of today and tomorrow before the first click needs them.
func (g *Ingester) aheadOfTime(ctx context.Context) {
	if time.Since(g.aheadAt) < time.Hour {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	now := time.Now()
	soon := []time.Time{now, now.Add(day)}
	if err := g.days.ensure(ctx, g.db, soon); err == nil {
		g.aheadAt = now
	}
}

// adopt takes over the spools of processes that are gone.
func (g *Ingester) adopt(ctx context.Context) {
	readers, err := g.spool.Adopt()
	if err != nil {
		slog.WarnContext(ctx, "ingest adopt", "error", err)
	}
	g.adopted = append(g.adopted, readers...)
}

func (g *Ingester) close() error {
	err := g.own.Close()
	for _, r := range g.adopted {
		err = errors.Join(err, r.Close())
	}
	g.adopted = nil
	return err
}
