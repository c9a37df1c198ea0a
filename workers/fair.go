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

// localWait is how long a job waits in the worker for a slot before it is postponed to the queue, where a delay takes whole
// seconds. After a whole second, the reconciler would look for the row's task.
const localWait = 600 * time.Millisecond

// shortWait is how long a swift job waits in the worker when admission.room jobs wait already. Postponing thousands of swift jobs
// at once would cost more than running them.
const shortWait = 100 * time.Millisecond

// swift is the average duration below which any number of an account's jobs may wait in the worker, unless their kind has a limit
// per account. They wait for each other no longer than they would in the queue.
const swift = 250 * time.Millisecond

// swiftReturn is the longest gap between the returns of two postponed jobs of an account if its jobs take less than swift on
// average. The gap usually follows from the measured average, which is too long if the jobs ran all at once and slowed each other
// down.
const swiftReturn = 2 * time.Millisecond

// admission shares the slots of a queue among accounts, within one worker. With n active accounts, each may use 1/(n+1) of the
// slots, so that slots remain for another account. Jobs without an account take any slot.
//
// A job without a slot waits first in the worker, then in the queue. The worker fetches more jobs from the queue than it has
// slots, so that it finds another account's job behind many jobs of one account.
//
// If slow is above zero, only accounts whose jobs take at least that long are limited. A job without a slot is then postponed at
// once; only a swift job first waits for at most shortWait. This suits a queue of many short jobs: few jobs are postponed, and
// each postponed job costs a second fetch from the queue.
type admission struct {
	slots int
	room  int // how many jobs may wait for localWait; beyond it, swift jobs wait for shortWait
	slow  time.Duration
	now   func() time.Time

	mu       sync.Mutex
	running  int
	accounts map[uuid.UUID]*accountLoad
	waiting  []*waiter // the longest waiting first
}

type accountLoad struct {
	running   int
	waiting   int
	kinds     map[string]int // running jobs of kinds with a limit per account
	average   time.Duration  // moving average of a job's duration; 0: no job has ended yet
	postponed Spread
}

// waiter is a job that asks for a slot.
type waiter struct {
	account  uuid.UUID
	kind     string
	atMost   int // limit of the account's running jobs of this kind; 0: none
	admitted chan struct{}
}

func newAdmission(slots int, slow time.Duration, now func() time.Time) *admission {
	a := &admission{slots: slots, slow: slow, now: now, accounts: map[uuid.UUID]*accountLoad{}}
	if slow == 0 { // otherwise no job waits for localWait
		a.room = max(slots/2, 8)
	}
	return a
}

// acquire takes a slot, which the caller holds until release. If none becomes free soon, release is nil and wait is the time
// until the next try.
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
	isSwift := l.average > 0 && l.average < swift && atMost == 0
	full := len(a.waiting) >= a.room
	// At most a.room/4 jobs of an account that are not swift wait in the worker, so that jobs of other accounts may wait too.
	if !isSwift && (full || l.waiting >= max(a.room/4, 1)) {
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

// await waits until the job is admitted, but at most atMost. It unlocks a.mu during the wait.
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

// share returns how many slots an account may use now.
func (a *admission) share() int {
	busy, now := 0, a.now()
	for id, l := range a.accounts {
		if id != uuid.Nil && l.busy(now) {
			busy++
		}
	}
	return max(a.slots/(busy+1), 1)
}

func (l *accountLoad) busy(now time.Time) bool {
	return l.running > 0 || l.waiting > 0 || l.postponed.Pending(now)
}

func (a *admission) fits(w *waiter, l *accountLoad, share int) bool {
	if a.running >= a.slots || w.atMost > 0 && l.kinds[w.kind] >= w.atMost {
		return false
	}
	return w.account == uuid.Nil || l.running < share || l.average < a.slow
}

func (a *admission) start(w *waiter, l *accountLoad) {
	a.running++
	l.running++
	if w.atMost > 0 {
		l.kinds[w.kind]++
	}
}

// idleAccounts is the number of known accounts above which an idle account is forgotten, with its average.
const idleAccounts = 1000

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
		duration := max(now.Sub(since), time.Nanosecond)
		if l.average > 0 {
			duration = (3*l.average + duration) / 4
		}
		l.average = duration
		if !l.busy(now) && len(a.accounts) > idleAccounts {
			delete(a.accounts, w.account)
		}
		a.admitWaiting()
	})
}

// admitWaiting starts waiting jobs. The jobs of the accounts with the fewest running jobs start first.
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

// postpone returns how long a job waits in the queue.
func (a *admission) postpone(w *waiter, l *accountLoad) time.Duration {
	places := a.share()
	if w.atMost > 0 {
		places = min(places, w.atMost)
	}
	each := l.average / time.Duration(places)
	if l.average < swift {
		each = min(each, swiftReturn)
	}
	return l.postponed.Postpone(a.now(), each)
}

var errNoSlot = errors.New("workers: no slot for the account now")

// admit takes a slot for the task's account. Without a slot, the task and its row are postponed, which costs no attempt.
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

// rowLead is how much earlier than its task a postponed row becomes due. The clocks of a worker and of PostgreSQL may differ by
// this much, and the task still finds its row due.
const rowLead = 100 * time.Millisecond

// postpone delays a task by the given time, rounded up to a full second. If the task has a row, the row becomes due a little
// earlier: see rowLead.
func (r *Runtime) postpone(ctx context.Context, row uuid.UUID, wait time.Duration, cause error) error {
	at := nextSecond(time.Now().Add(wait))
	if row != uuid.Nil {
		if err := jobrow.Postpone(ctx, r.o.DB, row, time.Until(at)-rowLead); err != nil {
			slog.WarnContext(ctx, "row not postponed", "error", err)
		}
	}
	return &retryLaterError{at: at, cause: cause}
}
