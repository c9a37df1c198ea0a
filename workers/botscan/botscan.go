// Package botscan finds signals of bots that are visible only after the click: in the clicks of all web processes together, and
// in the visitor's later actions. It revises the clicks accordingly.
package botscan

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	dbbotscan "switchyard/db/botscan"
	"switchyard/db/click"
	"switchyard/db/ingest"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models/bot"
	"switchyard/models/interval"
	"switchyard/workers"
)

// Options of Register.
type Options struct {
	Clicks click.Log
	// Scan scans the next clicks of an account. The crowd has the clicks of the minute before these clicks. The default is dbbotscan.Scan.
	Scan func(ctx context.Context, l click.Log, c db.Conn, crowd *dbbotscan.Crowd, s dbbotscan.Progress, settings bot.Settings, limit int) (
		dbbotscan.Scanned, error)
}

// Register registers the handlers at a runtime.
func Register(r *workers.Runtime, s *store.Store, o Options) {
	if o.Scan == nil {
		o.Scan = dbbotscan.Scan
	}
	w := &worker{Options: o, store: s, client: r.Client(), pause: interval.Sleep}
	workers.RegisterForAccount(r, jobs.ScanBots, w.scan)
	workers.RegisterTick(r, jobs.SweepBots, w.sweep)
}

type worker struct {
	Options
	store  *store.Store
	client *jobs.Client
	pause  func(ctx context.Context, d time.Duration) error
	crowds crowds
}

const (
	// clicksAtOnce is how many clicks are scanned in one transaction.
	clicksAtOnce = 2000
	// lease is the duration of a scan's lease. If the worker is killed, the account waits that long for its next scan.
	lease = 3 * time.Minute
	// runFor is the time after which a scan begins no further batch of new clicks. batchesAtOnce is the maximum number of batches of
	// a scan. The next sweep continues the scan.
	runFor        = time.Minute
	batchesAtOnce = 500
	// While clicks wait to be stored or redirects are slow, a scan works for only this share of the time, and rests after each
	// batch, for at most maxPause.
	busyShare = 0.1
	maxPause  = 5 * time.Second
)

// sweep starts a scan for each account with clicks that were not scanned yet or must be scored again.
func (w *worker) sweep(ctx context.Context) error {
	if err := dbbotscan.DeleteExpired(ctx, w.Clicks); err != nil {
		return err
	}
	waiting, err := dbbotscan.Waiting(ctx, w.Clicks)
	if err != nil {
		return err
	}
	return workers.SubmitEach(ctx, w.client, jobs.ScanBots, waiting)
}

// scan examines the clicks of an account in batches. Each batch is committed on its own.
func (w *worker) scan(ctx context.Context, account uuid.UUID) error {
	s, ok, err := dbbotscan.Claim(ctx, w.Clicks, account, lease)
	if err != nil || !ok {
		return err
	}
	err = w.recheck(ctx, account)
	after, crowd := progress{next: s}, w.crowds.claim(account)
	began := time.Now()
	for n := 0; err == nil && !after.done && !after.stopped && n < batchesAtOnce && time.Since(began) < runFor; n++ {
		after, err = w.batch(ctx, crowd, after.next)
	}
	w.crowds.store(account, crowd)
	return errors.Join(err, dbbotscan.Release(context.WithoutCancel(ctx), w.Clicks.Conn, account, err == nil && after.done))
}

type progress struct {
	next    dbbotscan.Progress
	done    bool // all clicks were examined
	stopped bool // a late click was stored during the scan: the next scan begins at that click
}

// batch examines one batch of new clicks. It then rests if the service is busy.
func (w *worker) batch(ctx context.Context, crowd *dbbotscan.Crowd, s dbbotscan.Progress) (progress, error) {
	began := time.Now()
	p, err := w.next(ctx, crowd, s)
	if err != nil || p.done || p.stopped {
		return p, err
	}
	busy, err := ingest.Busy(ctx, w.Clicks)
	if err != nil || !busy {
		return p, err
	}
	return p, w.pause(ctx, rest(time.Since(began)))
}

func rest(worked time.Duration) time.Duration {
	return min(time.Duration(float64(worked)*(1/busyShare-1)), maxPause)
}

func (w *worker) next(ctx context.Context, crowd *dbbotscan.Crowd, s dbbotscan.Progress) (p progress, err error) {
	err = workers.ReviseClicks(ctx, w.store, w.Clicks, s.AccountID, func(c db.Conn, settings bot.Settings) ([]time.Time, error) {
		out, err := w.Scan(ctx, w.Clicks, c, crowd, s, settings, clicksAtOnce)
		if p = (progress{next: s, done: out.Done}); err != nil || out.After == s.After {
			return nil, err
		}
		moved := false
		p.next, moved, err = dbbotscan.Advance(ctx, c, s, out.After)
		p.done, p.stopped = p.done && moved, !moved
		return out.Days, err
	})
	return p, err
}

// recheck scores clicks again if more is known about them now.
func (w *worker) recheck(ctx context.Context, account uuid.UUID) error {
	for done := false; !done; {
		err := workers.ReviseClicks(ctx, w.store, w.Clicks, account, func(c db.Conn, settings bot.Settings) (days []time.Time, err error) {
			days, done, err = dbbotscan.Recheck(ctx, w.Clicks, c, account, settings, clicksAtOnce)
			return days, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxCrowds is how many accounts' crowds are kept between scans.
const maxCrowds = 32

// crowds keeps the clicks of the last minute of at most maxCrowds accounts. A scan looks for floods in them. The next scan need not
// read them again.
type crowds struct {
	mu     sync.Mutex
	stored map[uuid.UUID]*dbbotscan.Crowd
}

// claim removes the crowd of an account and returns it, so that only one scan uses it.
func (k *crowds) claim(account uuid.UUID) *dbbotscan.Crowd {
	k.mu.Lock()
	defer k.mu.Unlock()
	if crowd, ok := k.stored[account]; ok {
		delete(k.stored, account)
		return crowd
	}
	return dbbotscan.NewCrowd(account)
}

func (k *crowds) store(account uuid.UUID, crowd *dbbotscan.Crowd) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stored == nil || len(k.stored) >= maxCrowds {
		k.stored = map[uuid.UUID]*dbbotscan.Crowd{}
	}
	k.stored[account] = crowd
}
