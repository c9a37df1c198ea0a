package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/spool"
	"switchyard/models"
)

// Options are the settings of an Ingester. The zero value selects the defaults.
type Options struct {
	BatchSize int // maximum number of records in a transaction, default 2000
	// Interval is the shortest pause after a batch without a backlog, default 100 ms. It is zero if the spool's Append waits for
	// PostgreSQL.
	Interval time.Duration
	// MaxRest is the longest pause after a batch while redirects wait for a processor, default 2 s. On an overloaded machine
	// every pause is that long, so a longer MaxRest means fewer stored clicks per second.
	MaxRest time.Duration
	// OnPostbacks is called after a commit with the jobs of new postbacks. It must not block for long. If a call is lost, the
	// reconciler finds the jobs.
	OnPostbacks func(ctx context.Context, rows []models.JobRef)
	// Copy reads the clicks that are no longer in PostgreSQL. Nil: PostgreSQL has all clicks.
	Copy *click.CopyReader
}

// Ingester moves records from a spool to PostgreSQL.
type Ingester struct {
	spool     *spool.Spool
	store     *postgres
	o         Options
	ownReader *spool.Reader   // reads the records of this process
	adopted   []*spool.Reader // read the records of ended processes
	throttle  throttle
	strained  atomic.Bool             // redirects wait for a processor
	limit     int                     // records in the next batch; lower after refused data
	backlog   bool                    // the last round filled half a batch or more
	waiting   map[uuid.UUID]time.Time // missing clicks for which hops (click-outs) or arrivals (ways in which visitors arrived) wait, and since when
	floods    *botscan.Floods
	retriedAt time.Time // last retry of waiting hops
	readyAt   time.Time // last creation of partitions
}

// NewIngester returns the ingester of a spool. A spool has one ingester.
func NewIngester(s *spool.Spool, d *db.DB, o Options) *Ingester {
	if o.BatchSize == 0 {
		o.BatchSize = 2000
	}
	if s.AckPostgres() {
		o.Interval = 0
	} else if o.Interval == 0 {
		o.Interval = 100 * time.Millisecond
	}
	g := &Ingester{
		spool: s, store: &postgres{click.Log{Conn: d, Copy: o.Copy}, click.Days{}}, o: o, ownReader: s.Reader(), limit: o.BatchSize,
		throttle: newThrottle(), waiting: map[uuid.UUID]time.Time{}, floods: botscan.NewFloods(),
	}
	g.throttle.maxPause = o.MaxRest
	return g
}

const (
	retryEvery  = 2 * time.Second  // interval of retries of hops and arrivals that wait for their click
	waitForHop  = time.Minute      // after this time the ingester gives up, and Compact applies the hop or arrival later
	adoptEvery  = 30 * time.Second // search for spools of ended processes
	maxWaitHops = 10_000
)

// Run stores the records of the spool until ctx ends. While PostgreSQL is unavailable, all records stay on disk. Run returns the
// error of closing its readers.
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
		if n == 0 && err == nil {
			select {
			case <-ctx.Done():
			case <-adopt.C:
				g.adopt(ctx)
			case <-g.spool.Written():
			case <-time.After(retryEvery / 2):
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(g.pauseAfter(n, time.Since(start), err)):
		}
	}
	return g.close()
}

// After fewer than fewRecords, the ingester waits longer, so that the next batch collects more. An empty transaction costs the
// web process and PostgreSQL about as much work as storing twenty clicks.
const (
	fewRecords       = 250
	fewRecordsFactor = 4 // for Interval
)

// pauseAfter returns the pause after a round that stored n records.
func (g *Ingester) pauseAfter(n int, duration time.Duration, err error) time.Duration {
	switch {
	case err != nil:
		return time.Second
	case g.backlog:
		return g.throttle.backoff(duration)
	case n < fewRecords:
		return fewRecordsFactor * g.o.Interval // such small batches do not slow redirects down
	}
	return max(g.throttle.backoff(duration), g.o.Interval)
}

// Strained reports whether redirects of this process wait for a processor, so that the ingester slows down.
func (g *Ingester) Strained() bool { return g.strained.Load() }

// Drain stores all records of the spool, for a process whose disk is lost with it. It fails when ctx ends or the spool cannot be
// read. Call it after Run has returned, when nothing appends records any more.
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

// round stores one batch of each reader and returns the number of records, including rejected ones.
func (g *Ingester) round(ctx context.Context) (int, error) {
	g.makeReady(ctx)
	g.retryHops(ctx)
	if !g.spool.AckPostgres() { // with AckPostgres, Append waits anyway
		g.throttle.update(time.Now())
		g.strained.Store(g.throttle.share < 1)
	}
	g.backlog = false
	n, err := g.step(ctx, g.ownReader)
	if err != nil {
		return n, err
	}
	var unfinished []*spool.Reader
	for i, r := range g.adopted {
		stored, err := g.step(ctx, r)
		if err != nil {
			g.adopted = append(unfinished, g.adopted[i:]...)
			return n, err
		}
		n += stored
		if stored > 0 {
			unfinished = append(unfinished, r)
			continue
		}
		if err := r.Close(); err != nil {
			slog.WarnContext(ctx, "cannot close the spool of an ended process", "error", err)
		}
	}
	g.adopted = unfinished
	return n, nil
}

// step reads and stores one batch. If that fails, the next call reads it again.
func (g *Ingester) step(ctx context.Context, r *spool.Reader) (int, error) {
	size := g.throttle.batchSize(g.limit)
	items, err := r.Read(size)
	if err != nil {
		return 0, err
	}
	g.backlog = g.backlog || 2*len(items) >= size // a read may return fewer, because it ends at the end of a chunk
	if err := g.persist(ctx, r, items); err != nil {
		r.Rewind()
		return 0, err
	}
	return len(items), r.Commit()
}

// persist stores the items. It rejects items that cannot be read. If PostgreSQL refuses a batch, persist halves it until it has
// found the refused items, and rejects only these.
func (g *Ingester) persist(ctx context.Context, r *spool.Reader, items []spool.Item) error {
	var good []spool.Item
	for _, it := range items {
		if it.Err != nil {
			if err := r.Reject(ctx, it, it.Err); err != nil {
				return err
			}
			continue
		}
		good = append(good, it)
	}
	if r == g.ownReader { // other processes may have counted their own clicks already
		g.floods.Count(good)
	}
	for len(good) > 0 {
		n := min(len(good), g.limit)
		err := g.commit(ctx, good[:n])
		switch {
		case err == nil:
			g.floods.FinishStored(good[:n])
			good = good[n:]
			g.limit = min(g.limit*2, g.o.BatchSize)
		case !refused(err):
			return fmt.Errorf("ingest: store a batch: %w", err)
		case n == 1:
			if err := r.Reject(ctx, good[0], err); err != nil {
				return err
			}
			g.floods.FinishStored(good[:1])
			good = good[1:]
		default:
			g.limit = max(n/2, 1)
		}
	}
	return nil
}

const (
	firstBackoff = 50 * time.Millisecond
	lastBackoff  = 2 * time.Second
	logEvery     = 30 * time.Second
	txTimeout    = time.Minute
)

// commit stores the items in one transaction, and repeats it while PostgreSQL is unavailable or another transaction conflicts.
func (g *Ingester) commit(ctx context.Context, items []spool.Item) error {
	backoff := firstBackoff
	var logged time.Time
	for {
		// A failed transaction's decisions are void, so each attempt makes a new batch.
		out, err := g.try(ctx, newBatch(items, g.floods.Found))
		if err == nil {
			g.after(ctx, out)
			return nil
		}
		if refused(err) || ctx.Err() != nil {
			return err
		}
		if !db.IsConflict(err) && time.Since(logged) > logEvery {
			slog.WarnContext(ctx, "ingest waits for PostgreSQL", "error", err)
			logged = time.Now()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(backoff):
		}
		if backoff = min(backoff*2, lastBackoff); db.IsConflict(err) {
			backoff = firstBackoff
		}
	}
}

func (g *Ingester) try(ctx context.Context, b batch) (stored, error) {
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	return g.store.storeBatch(ctx, b)
}

// after remembers the missing clicks of a stored batch and announces its postbacks.
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

// retryHops retries the hops and arrivals that were stored before their clicks.
func (g *Ingester) retryHops(ctx context.Context) {
	if len(g.waiting) == 0 || time.Since(g.retriedAt) < retryEvery {
		return
	}
	g.retriedAt = time.Now()
	out, err := g.try(ctx, batch{retry: db.SortedIDs(g.waiting)})
	if err != nil {
		if !db.IsConflict(err) {
			slog.DebugContext(ctx, "ingest cannot retry the hops that wait for their clicks", "error", err)
		}
		return
	}
	stillWaiting := map[uuid.UUID]time.Time{}
	for _, id := range out.missing {
		if since := g.waiting[id]; time.Since(since) < waitForHop {
			stillWaiting[id] = since
		}
	}
	g.waiting = stillWaiting
}

// makeReady creates the partitions of today and tomorrow.
func (g *Ingester) makeReady(ctx context.Context) {
	if time.Since(g.readyAt) < time.Hour {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, txTimeout)
	defer cancel()
	now := time.Now()
	if err := g.store.makeReady(ctx, []time.Time{now, now.Add(click.Day)}); err == nil {
		g.readyAt = now
	}
}

func (g *Ingester) adopt(ctx context.Context) {
	readers, err := g.spool.Adopt()
	if err != nil {
		slog.WarnContext(ctx, "ingest adopt", "error", err)
	}
	g.adopted = append(g.adopted, readers...)
}

func (g *Ingester) close() error {
	err := g.ownReader.Close()
	for _, r := range g.adopted {
		err = errors.Join(err, r.Close())
	}
	g.adopted = nil
	return err
}
