package workers_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
)

var (
	hang    = jobs.Define[testArgs, reply]("wtest:hang", jobs.Policy{Queue: jobs.Interactive})
	counted = jobs.Define[testArgs, int]("wtest:counted", jobs.Policy{Queue: jobs.Bulk, Row: true, PerAccount: 1})
)

func (b *jobEnv) account() uuid.UUID {
	b.t.Helper()
	id := uuid.New()
	const q = `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', $2)`
	dbtest.Exec(b.t, b.db, q, id, id.String())
	return id
}

// addCounted adds jobs of a kind that each account runs one at a time.
func (b *jobEnv) addCounted(account uuid.UUID, n int) []uuid.UUID {
	b.t.Helper()
	ids := make([]uuid.UUID, n)
	for i := range ids {
		r, err := counted.NewRow(account, testArgs{N: i})
		if err == nil {
			err = jobrow.Insert(b.t.Context(), b.db, r)
		}
		if err != nil {
			b.t.Fatal(err)
		}
		ids[i] = r.ID
	}
	b.client.DispatchFor(b.t.Context(), account, counted.Kind(), ids...)
	return ids
}

// TestManyRowsDelayNoOtherAccount: another account's job runs before the first of an account's 40 jobs has ended, and every job
// runs once.
func TestManyRowsDelayNoOtherAccount(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	many, few := b.account(), b.account()
	started, gate := make(chan struct{}, 40), make(chan struct{})
	var running, mostAtOnce atomic.Int32
	handler := func(ctx context.Context, u *workers.Run[testArgs, int]) error {
		if u.Job.AccountID.UUID == many {
			if n := running.Add(1); n > mostAtOnce.Load() {
				mostAtOnce.Store(n)
			}
			started <- struct{}{}
			<-gate
			running.Add(-1) // before the commit, because the next job may run as soon as this one is committed
		}
		return countEffect(ctx, u)
	}
	ids := b.addCounted(many, 40)
	other := b.addCounted(few, 1)[0]
	for range 2 {
		rt := b.leasing(await.Timeout) // a long lease, so that a busy machine that renews it late does not lose it
		workers.RegisterRow(rt, counted, handler)
		b.start(rt)
	}
	await.Recv(t, started)
	b.state(other, models.JobDone)
	if n := len(started); n > 0 {
		t.Errorf("%d more jobs of the account with 40 jobs began while its first job was running", n)
	}
	close(gate)
	await.Until(t, "all are done", func() bool {
		left, err := jobrow.ReadStats(t.Context(), b.db)
		return err == nil && len(left) == 0
	})
	if n := mostAtOnce.Load(); n != 1 {
		t.Errorf("%d jobs of the account with 40 jobs ran at the same time, want 1", n)
	}
	done := b.effects()
	for _, id := range append(ids, other) {
		if done[id] != 1 || b.get(id).Attempts != 1 {
			t.Errorf("a job has %d effects and %d attempts, want 1 of each", done[id], b.get(id).Attempts)
		}
	}
}

// TestHangingJobsDelayNoOtherAccount: while 80 jobs of one account hang, another account's job runs. The same holds while 80 jobs of
// each of two accounts hang.
func TestHangingJobsDelayNoOtherAccount(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	gate := make(chan struct{})
	var running sync.Map // by account
	count := func(account uuid.UUID) *atomic.Int32 {
		n, _ := running.LoadOrStore(account, new(atomic.Int32))
		return n.(*atomic.Int32)
	}
	workers.Register(b.rt, hang, func(ctx context.Context, a testArgs) (reply, error) {
		if a.N == 0 {
			return reply{Sum: 1}, nil
		}
		count(workers.Account(ctx)).Add(1)
		select {
		case <-gate:
			return reply{Sum: a.N}, nil
		case <-ctx.Done():
			return reply{}, ctx.Err()
		}
	})
	b.start(b.rt)
	for _, account := range []uuid.UUID{uuid.New(), uuid.New()} {
		for range 80 {
			if _, err := jobs.Submit(t.Context(), b.client, hang, account, testArgs{N: 1}); err != nil {
				t.Fatal(err)
			}
		}
		await.Until(t, "some hang", func() bool { return count(account).Load() > 0 })
		ticket, err := jobs.Submit(t.Context(), b.client, hang, uuid.New(), testArgs{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := jobs.Await(t.Context(), ticket); err != nil || got.Sum != 1 {
			t.Fatalf("another account's job: %+v, %v", got, err)
		}
	}
	close(gate)
}

// TestCrowdedClaim: of 12 concurrent claims of a kind with one running job per account, one succeeds.
func TestCrowdedClaim(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	ids := b.addCounted(b.account(), 12)
	var all sync.WaitGroup
	var claimed, crowded atomic.Int32
	for _, id := range ids {
		all.Go(func() {
			_, err := jobrow.Claim(context.Background(), b.db, jobrow.ClaimRequest{
				ID: id, Kind: counted.Kind(), Lease: await.Timeout, Generation: -1, PerAccount: 1,
			})
			refused, ok := errors.AsType[*jobrow.RefusalError](err)
			switch {
			case err == nil:
				claimed.Add(1)
			case ok && refused.Reason == jobrow.Crowded:
				crowded.Add(1)
			default:
				t.Errorf("a claim failed with another error: %v", err)
			}
		})
	}
	all.Wait()
	if claimed.Load() != 1 || crowded.Load() != 11 {
		t.Errorf("%d claims succeeded and %d were refused, want 1 and 11", claimed.Load(), crowded.Load())
	}
}
