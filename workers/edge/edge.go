// Package edge publishes campaigns to the key-value store that the edge reads.
//
// PostgreSQL records every change of data that routes visitors, and a hash of each written value. A run compiles the campaigns of
// the changed accounts, and writes the values whose hash differs. One process publishes at a time, so that an older value never
// replaces a newer one. A run deletes the stored hash of a value before it writes the value. If a run is killed, the next run
// therefore writes that value again.
package edge

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/advisory"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/interval"
	"switchyard/workers"
	"switchyard/workers/providers/cloudflare"
)

// Keys is the key-value store that the edge reads. cloudflare.KV implements it.
type Keys interface {
	Put(ctx context.Context, pairs iter.Seq[cloudflare.Pair], done func(tried, failed []string) error) error
	Delete(ctx context.Context, keys []string, done func(tried, failed []string) error) error
	Target() string
}

// Options of Register.
type Options struct {
	Locks *db.DB // its sessions hold the lock of the publishing process
	// Keys writes for a caller who waits, and Background for all other work. Both are nil if there is no edge.
	Keys, Background Keys
	// Compile makes the bundles of an account's campaigns.
	Compile func(*store.Routing) ([]models.EdgeBundle, error)
	Format  int           // the format of the bundles
	Pause   time.Duration // before unwritten keys are tried again; default 1100 ms: a key accepts one write a second
}

const (
	tries  = 3  // how often the edge is asked to write or remove a key
	atOnce = 50 // accounts in one run
	// accountTime limits the time of a run for one account. The next run continues.
	accountTime = 3 * time.Minute
	lockName    = "edge publishing"
	// lockWait is how long a sweep waits for another run to end. It can be short, because the clock soon starts the next sweep.
	lockWait = 2 * time.Second
	pause    = 1100 * time.Millisecond
)

var errBusy = models.Errorf(models.KindUnavailable, "edge_busy", "other campaigns are being published: try again in a minute")

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	o.Pause = cmp.Or(o.Pause, pause)
	p := &publisher{o: o, store: s}
	workers.Register(r, jobs.PublishEdge, p.publishNow)
	workers.RegisterTick(r, jobs.SweepEdge, p.sweep)
}

type publisher struct {
	o     Options
	store *store.Store
}

// locked runs fn while no other process publishes. ran is false if another process published during the whole wait.
func (p *publisher) locked(ctx context.Context, wait time.Duration, fn func(context.Context) error) (ran bool, err error) {
	run, stop := context.WithCancel(ctx)
	defer stop()
	waitOver := time.AfterFunc(wait, stop)
	_ = advisory.WithLock(run, p.o.Locks, lockName, func(ctx context.Context) { // the error of WithLock is the context's
		if ran = waitOver.Stop(); ran {
			err = fn(ctx)
		}
		stop()
	})
	if !ran && err == nil {
		err = ctx.Err()
	}
	return ran, err
}

// publishNow publishes the campaigns of the caller's account.
func (p *publisher) publishNow(ctx context.Context, _ jobs.None) (out jobs.PublishedEdge, err error) {
	if p.o.Keys == nil {
		return out, nil
	}
	began := time.Now()
	deadline, _ := ctx.Deadline()
	ran, err := p.locked(ctx, time.Until(deadline)/2, func(ctx context.Context) (err error) {
		if err = p.store.Edge().CollectChanges(ctx); err == nil {
			out, err = p.publish(ctx, p.o.Keys, workers.Account(ctx))
		}
		return err
	})
	if err == nil && !ran {
		err = errBusy
	}
	out.MS = time.Since(began).Milliseconds()
	return out, err
}

// sweep publishes the campaigns of the accounts in which something has changed.
func (p *publisher) sweep(ctx context.Context) error {
	if p.o.Keys == nil {
		return p.store.Edge().DiscardChanges(ctx)
	}
	_, err := p.locked(ctx, lockWait, func(ctx context.Context) error {
		if err := p.store.Edge().CollectChanges(ctx); err != nil {
			return err
		}
		due, err := p.store.Edge().ListDue(ctx, p.target(), atOnce)
		for _, account := range due {
			if err = p.publishDue(ctx, account); err != nil {
				break // PostgreSQL failed, or the run must end
			}
		}
		return err
	})
	return err
}

// publishDue publishes one account of a run. After each failure the account waits longer for its next turn. The other accounts do
// not wait for it.
func (p *publisher) publishDue(ctx context.Context, account uuid.UUID) error {
	limited, cancel := context.WithTimeout(ctx, accountTime)
	defer cancel()
	out, err := p.publish(limited, p.o.Background, account)
	if err != nil && ctx.Err() == nil {
		slog.ErrorContext(ctx, "campaigns not published to the edge", "account_id", account, "error", err)
		return p.store.Edge().RecordFailure(ctx, account, "the campaigns could not be compiled and written")
	}
	if err == nil && out.Written+out.Removed+out.Failed > 0 {
		slog.InfoContext(ctx, "campaigns published to the edge", "account_id", account, "written", out.Written,
			"removed", out.Removed, "failed", out.Failed)
	}
	return err
}

// target identifies where bundles are written and in which format. A change of it publishes all bundles again.
func (p *publisher) target() string { return fmt.Sprintf("%s %d", p.o.Keys.Target(), p.o.Format) }

// publish brings the edge up to date with an account. A refusal of the edge is recorded and is not an error. The account is tried
// again, and its campaigns that were not written or not removed count as failed.
func (p *publisher) publish(ctx context.Context, to Keys, account uuid.UUID) (out jobs.PublishedEdge, err error) {
	state := p.store.Edge()
	wanted, err := state.Begin(ctx, account)
	if err != nil {
		return out, err
	}
	records, err := state.Routing(ctx, account)
	if err != nil {
		return out, err
	}
	bundles, err := p.o.Compile(records)
	if err != nil {
		return out, err
	}
	d, err := p.compare(ctx, account, bundles)
	if err != nil {
		return out, err
	}
	refusal := p.write(ctx, to, account, d)
	if refusal == nil {
		refusal = p.remove(ctx, to, account, d)
	}
	out = d.result(bundles)
	refused, isRefusal := errors.AsType[*cloudflare.Error](refusal)
	switch {
	case isRefusal:
		return out, state.RecordFailure(ctx, account, refused.Text)
	case refusal != nil:
		return out, refusal
	case out.Failed > 0:
		return out, state.RecordFailure(ctx, account, "the edge did not accept all campaigns")
	}
	return out, state.RecordPublished(ctx, account, wanted, p.target())
}

// difference is what has to change at the edge for an account.
type difference struct {
	changed     map[string]models.EdgeBundle // by key
	hashes      map[string][]byte
	obsolete    map[string]bool // keys to be removed
	unsupported []string        // keys of bundles without a value: the edge cannot hold their campaigns
	unchanged   int
	written     int
	removed     int
}

// compare finds the values and keys that differ from the edge. It records in PostgreSQL which values are about to be written.
func (p *publisher) compare(ctx context.Context, account uuid.UUID, bundles []models.EdgeBundle) (*difference, error) {
	known, err := p.store.Edge().Keys(ctx, account)
	if err != nil {
		return nil, err
	}
	before := db.ByKey(known, func(k store.EdgeKey) string { return k.Key })
	d := &difference{changed: map[string]models.EdgeBundle{}, hashes: map[string][]byte{}, obsolete: map[string]bool{}, unsupported: []string{}}
	wanted := map[string]bool{}
	var claimed []models.EdgeBundle
	for _, b := range bundles {
		old, exists := before[b.Key]
		wanted[b.Key] = true
		if b.Value == nil {
			d.unsupported = append(d.unsupported, b.Key)
			if old.MayExist {
				d.obsolete[b.Key] = true
			}
			if !exists || old.MayExist {
				claimed = append(claimed, b)
			}
			continue
		}
		hash := sha256.Sum256(append([]byte(p.target()+"\n"), b.Value...))
		if bytes.Equal(old.Hash, hash[:]) {
			d.unchanged++
			continue
		}
		d.changed[b.Key], d.hashes[b.Key] = b, hash[:]
		claimed = append(claimed, b)
	}
	for key := range before {
		if !wanted[key] {
			d.obsolete[key] = true
		}
	}
	return d, p.store.Edge().Claim(ctx, account, claimed)
}

// write writes the changed values. Values that the edge has not accepted are tried again.
func (p *publisher) write(ctx context.Context, to Keys, account uuid.UUID, d *difference) error {
	return p.repeat(ctx, func() (int, error) {
		keys := slices.Collect(maps.Keys(d.changed)) // a copy: written keys are deleted from d.changed
		pairs := func(yield func(cloudflare.Pair) bool) {
			for _, key := range keys {
				if !yield(cloudflare.Pair{Key: key, Value: string(d.changed[key].Value)}) {
					return
				}
			}
		}
		err := to.Put(ctx, pairs, func(tried, failed []string) error {
			done := without(tried, failed)
			hashes := make([][]byte, len(done))
			for i, key := range done {
				hashes[i] = d.hashes[key]
				delete(d.changed, key)
			}
			d.written += len(done)
			return p.store.Edge().RecordWritten(context.WithoutCancel(ctx), account, done, hashes)
		})
		return len(d.changed), err
	})
}

// remove removes the keys of campaigns that are gone, or that the edge can no longer hold.
func (p *publisher) remove(ctx context.Context, to Keys, account uuid.UUID, d *difference) error {
	return p.repeat(ctx, func() (int, error) {
		err := to.Delete(ctx, slices.Collect(maps.Keys(d.obsolete)), func(tried, failed []string) error {
			done := without(tried, failed)
			for _, key := range done {
				delete(d.obsolete, key)
			}
			d.removed += len(done)
			return p.store.Edge().RecordRemoved(context.WithoutCancel(ctx), account, done, d.unsupported)
		})
		return len(d.obsolete), err
	})
}

// repeat calls a function until nothing is left, with pauses between the calls. The constant tries limits the number of calls.
func (p *publisher) repeat(ctx context.Context, try func() (left int, err error)) error {
	for n := 1; ; n++ {
		left, err := try()
		if err != nil || left == 0 || n == tries {
			return err
		}
		if err := interval.Sleep(ctx, p.o.Pause); err != nil {
			return err
		}
	}
}

func without(keys, excluded []string) []string {
	skip := map[string]bool{}
	for _, key := range excluded {
		skip[key] = true
	}
	return db.Without(keys, func(key string) bool { return skip[key] })
}

// result counts the published, written, removed and failed campaigns.
func (d *difference) result(bundles []models.EdgeBundle) jobs.PublishedEdge {
	rules, broken := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for _, b := range bundles {
		if b.Value == nil {
			continue
		}
		for _, id := range b.Rules {
			rules[id] = true
		}
		for _, id := range b.Broken {
			broken[id] = true
		}
	}
	out := jobs.PublishedEdge{
		Configured: true, Published: d.unchanged + d.written, Written: d.written, Removed: d.removed, Failed: len(d.changed) + len(d.obsolete),
		Rules: len(rules),
	}
	if len(broken) > 0 {
		out.RulesError = fmt.Sprintf("%d saved rules match no visitor, because they cannot be read or were deleted", len(broken))
	}
	return out
}
