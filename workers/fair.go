package workers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/db/jobrow"
	"switchyard/jobs"
)

// localWait is how long a job waits for a slot in the worker, because the queue measures in seconds. The time is shorter
// than the second after which the reconciler would look for the row's task. After it the job is postponed.
const localWait = 600 * time.Millisecond

// shortWait is how long a swift job waits where others fill the room. Thousands that were postponed at once would cost
// more than their work.
const shortWait = 100 * time.Millisecond

// swift is the duration of jobs whose account may have any number of them wait in the worker: they wait for each other
// no longer than for the queue.
const swift = 250 * time.Millisecond

// swiftReturn is the longest time after which one more of an account's swift jobs comes back. What they took while all
// of them came at once says little about what they will take.
const swiftReturn = 2 * time.Millisecond

// admission shares the slots of a queue among accounts, in one worker. With n accounts at work each has one part of
// n+1, so that there are slots for one that comes. Jobs without an account take any slot.
//
// A job that has no slot waits in the worker, then in the queue. The worker takes more jobs from the queue than it has
// slots, so that it sees the job of another account behind many of one.
//
// With slow above zero only accounts whose jobs take so long are limited, and nothing waits in the worker. It is for a
// queue of many short jobs: one that is postponed is taken from the queue twice.
type admission struct {
	slots int
	room  int // how many jobs wait in the worker for as long as they may
	slow  time.Duration
	now   func() time.Time

	mu       sync.Mutex
	running  int
	accounts map[uuid.UUID]*accountLoad
	waiting  []*waiter // the longest waiting first
}

// accountLoad is what an admission knows of an account at work.
type accountLoad struct {
	running   int
	waiting   int
	kinds     map[string]int // running jobs of the kinds with a bound of their own
	took      time.Duration  // a job, a moving average; 0 = none has ended yet
	postponed Spread
}

// waiter is a job that waits in the worker.
type waiter struct {
	account  uuid.UUID
	kind     string
	atMost   int // jobs of the kind and account at once; 0 = no bound
	admitted chan struct{}
}

func newAdmission(slots int, slow time.Duration, now func() time.Time) *admission {
	a := &admission{slots: slots, slow: slow, now: now, accounts: map[uuid.UUID]*accountLoad{}}
	if slow == 0 {
		a.room = max(slots/2, 8)
	}
	return a
}

// acquire takes a slot, until release is called. If none becomes free soon, release is nil and wait is when to try
// again.
func (a *admission) acquire(ctx context.Context, account uuid.UUID, kind string, atMost int,
) (release func(), wait time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := &waiter{account, kind, atMost, make(chan struct{})}
	l := a.load(account)
	if a.fits(w, l, a.share()) {
		a.start(w, l)
		return a.releaser(w, l), 0
	}
	swiftly := l.took > 0 && l.took < swift && atMost == 0
	full := len(a.waiting) >= a.room
	if !swiftly && (full || l.waiting >= max(a.room/4, 1)) {
		return nil, a.postpone(w, l)
	}
	limit := localWait
	if full {
		limit = shortWait
	}
	a.waiting = append(a.waiting, w)
	l.waiting++
	a.await(ctx, w, limit)
	l.waiting--
	a.waiting = slices.DeleteFunc(a.waiting, func(other *waiter) bool { return other == w })
	select {
	case <-w.admitted:
		return a.releaser(w, l), 0
	default:
		return nil, a.postpone(w, l)
	}
}

// await waits until the job is admitted, or long enough. Meanwhile the lock is free.
func (a *admission) await(ctx context.Context, w *waiter, atMost time.Duration) {
	a.mu.Unlock()
	defer a.mu.Lock()
	limit := time.NewTimer(atMost)
	defer limit.Stop()
	select {
	case <-w.admitted:
	case <-limit.C:
	case <-ctx.Done():
	}
}

func (a *admission) load(account uuid.UUID) *accountLoad {
	l := a.accounts[account]
	if l == nil {
		l = &accountLoad{kinds: map[string]int{}}
		a.accounts[account] = l
	}
	return l
}

// share is how many slots an account may have now.
func (a *admission) share() int {
	busy, now := 0, a.now()
	for id, l := range a.accounts {
		if id != uuid.Nil && l.busy(now) {
			busy++
		}
	}
	return max(a.slots/(busy+1), 1)
}

// busy reports whether the account has jobs here, or some that were postponed.
func (l *accountLoad) busy(now time.Time) bool {
	return l.running > 0 || l.waiting > 0 || l.postponed.Pending(now)
}

// fits reports whether a job may start now.
func (a *admission) fits(w *waiter, l *accountLoad, share int) bool {
	if a.running >= a.slots || w.atMost > 0 && l.kinds[w.kind] >= w.atMost {
		return false
	}
	return w.account == uuid.Nil || l.running < share || l.took < a.slow
}

func (a *admission) start(w *waiter, l *accountLoad) {
	a.running++
	l.running++
	if w.atMost > 0 {
		l.kinds[w.kind]++
	}
}

// idleAccounts is how many accounts that are not busy are remembered, with the time that their jobs take.
const idleAccounts = 1000

// releaser makes the function that ends a job.
func (a *admission) releaser(w *waiter, l *accountLoad) func() {
	since := a.now()
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		now := a.now()
		a.running--
		l.running--
		if w.atMost > 0 {
			l.kinds[w.kind]--
		}
		took := max(now.Sub(since), time.Nanosecond)
		if l.took > 0 {
			took = (3*l.took + took) / 4
		}
		l.took = took
		if !l.busy(now) && len(a.accounts) > idleAccounts {
			delete(a.accounts, w.account)
		}
		a.admitWaiting()
	})
}

// admitWaiting starts jobs that wait, those of the accounts with the fewest running jobs first.
func (a *admission) admitWaiting() {
	share := a.share()
	for {
		var best *waiter
		var least int
		for _, w := range a.waiting {
			if l := a.load(w.account); a.fits(w, l, share) && (best == nil || l.running < least) {
				best, least = w, l.running
			}
		}
		if best == nil {
			return
		}
		a.start(best, a.load(best.account))
		a.waiting = slices.DeleteFunc(a.waiting, func(w *waiter) bool { return w == best })
		close(best.admitted)
	}
}

// postpone is when a job may come back.
func (a *admission) postpone(w *waiter, l *accountLoad) time.Duration {
	places := a.share()
	if w.atMost > 0 {
		places = min(places, w.atMost)
	}
	each := l.took / time.Duration(places)
	if l.took < swift {
		each = min(each, swiftReturn)
	}
	return l.postponed.Postpone(a.now(), each)
}

// errNoSlot is why a job was postponed.
var errNoSlot = errors.New("workers: no slot for the account now")

// admit takes a slot of the task's queue for its account. Without one the task comes back later, and so does its row.
// That costs no attempt.
func (r *Runtime) admit(ctx context.Context, queue string, t task) (release func(), err error) {
	a := r.admissions[queue]
	if a == nil {
		return func() {}, nil
	}
	p, _ := jobs.PolicyOf(t.Kind)
	release, wait := a.acquire(ctx, t.Account, t.Kind, p.PerAccount)
	if release != nil {
		return release, nil
	}
	return nil, r.postpone(ctx, t.Row, wait, errNoSlot)
}

// comesEarly is how far the clocks of a worker and of PostgreSQL may differ before a postponed row is met too early.
const comesEarly = 100 * time.Millisecond

// postpone makes a task, and its row if it has one, wait for at least so long, until a full second.
func (r *Runtime) postpone(ctx context.Context, row uuid.UUID, wait time.Duration, cause error) error {
	at := nextSecond(time.Now().Add(wait))
	if row != uuid.Nil {
		// The row is due a little sooner than its task, so that the task finds it due.
		if err := jobrow.Postpone(ctx, r.o.DB, row, time.Until(at)-comesEarly); err != nil {
			slog.WarnContext(ctx, "row not postponed", "error", err)
		}
	}
	return &retryLaterError{at: at, cause: cause}
}
