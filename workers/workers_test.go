package workers_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
	"switchyard/workers/platformjob"
)

func TestAwait(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	block := make(chan struct{})
	workers.Register(b.rt, add, func(ctx context.Context, a testArgs) (reply, error) {
		switch a.N {
		case 1:
			return reply{}, models.Errorf(models.KindTooLarge, "too_large", "too many rows")
		case 2:
			panic("boom")
		case 3:
			<-ctx.Done()
			return reply{}, ctx.Err()
		case 4:
			<-block
		}
		return reply{Sum: a.N + 1, Account: workers.Account(ctx)}, nil
	})
	b.start(b.rt)
	account := uuid.New()
	for _, c := range []struct {
		n    int
		code string
		kind models.Kind
	}{
		{n: 41},
		{1, "too_large", models.KindTooLarge},
		{2, "internal_error", models.KindInternal},
		{3, "internal_error", models.KindInternal},
	} {
		ticket, err := jobs.Submit(t.Context(), b.client, add, account, testArgs{N: c.n})
		if err != nil {
			t.Fatal(err)
		}
		got, err := jobs.Await(t.Context(), ticket)
		if e, ok := models.AsError(err); ok != (c.code != "") || ok && (e.Code != c.code || e.Kind != c.kind) {
			t.Errorf("the job with n=%d ends with the error %v, want the code %q", c.n, err, c.code)
		}
		if c.code == "" && (got.Sum != 42 || got.Account != account) {
			t.Errorf("the job answers %+v, want the sum 42 and the account of the call", got)
		}
		s, err := b.client.State(t.Context(), account, ticket.ID)
		want := map[bool]string{true: models.JobDone, false: models.JobFailed}[c.code == ""]
		if err != nil || s.Status != want {
			t.Errorf("the state of the job with n=%d is %+v (error %v), want %s", c.n, s, err, want)
		}
	}
	ticket, err := jobs.Submit(t.Context(), b.client, add, account, testArgs{N: 4})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := jobs.AwaitTimeout(t.Context(), ticket, 50*time.Millisecond); !errors.Is(err, jobs.ErrPending) {
		t.Errorf("waiting for a blocked job ends with the error %v, want ErrPending", err)
	}
	close(block)
	if got, err := jobs.Await(t.Context(), ticket); err != nil || got.Sum != 5 {
		t.Errorf("the released job answers %+v (error %v), want the sum 5", got, err)
	}
}

// TestRowRunsOnce: a row runs once, even if the queue delivers several tasks for the row.
func TestRowRunsOnce(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	workers.RegisterRow(b.rt, effect, countEffect)
	b.start(b.rt)
	id := row(b, effect, testArgs{N: 21})
	for g := range int64(5) {
		if err := b.client.DispatchRows(t.Context(), models.JobRef{Kind: effect.Kind(), ID: id, Generation: g}); err != nil {
			t.Fatal(err)
		}
	}
	ticket := jobs.RowHandle(b.client, effect, id.String(), func(context.Context) (models.JobStatus, error) {
		j := b.get(id)
		return models.JobStatus{ID: j.ID.String(), Status: j.State, Result: j.Result}, nil
	})
	if got, err := jobs.Await(t.Context(), ticket); err != nil || got != 42 {
		t.Errorf("the job answers %d (error %v), want 42", got, err)
	}
	await.Until(b.t, "queue is empty", func() bool {
		info, err := asynq.NewInspectorFromRedisClient(b.redis).GetQueueInfo(jobs.Webhooks)
		return err == nil && info.Size == 0
	})
	if n := b.effects()[id]; n != 1 || b.get(id).Attempts != 1 {
		t.Errorf("%d effects, %d attempts, want one of each", n, b.get(id).Attempts)
	}
}

// TestAbandonedClaimIsRedoneAndItsHolderFenced: the first worker can no longer change the row.
func TestAbandonedClaimIsRedoneAndItsHolderFenced(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	ctx, id := t.Context(), row(b, effect, testArgs{N: 1})
	dead, err := jobrow.Claim(ctx, b.db, jobrow.ClaimRequest{ID: id, Kind: effect.Kind(), Lease: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	workers.RegisterRow(b.rt, effect, countEffect)
	b.start(b.rt)
	await.Until(b.t, "redone", func() bool {
		if err := b.rt.Reconcile(ctx); err != nil {
			t.Fatal(err)
		}
		return b.get(id).State == models.JobDone
	})
	for name, err := range map[string]error{
		"complete": jobrow.Complete(ctx, b.db, id, dead.Fence, nil),
		"retry":    jobrow.Retry(ctx, b.db, id, dead.Fence, jobrow.CauseOf(errors.New("x")), 0),
		"fail":     jobrow.Fail(ctx, b.db, id, dead.Fence, jobrow.CauseOf(errors.New("x")), -1),
		"renew":    jobrow.Renew(ctx, b.db, id, dead.Fence, time.Minute),
	} {
		if !errors.Is(err, jobrow.ErrFenced) {
			t.Errorf("%s by the worker that lost its claim: %v, want ErrFenced", name, err)
		}
	}
	if n := b.effects()[id]; n != 1 || b.get(id).Attempts != 2 {
		t.Errorf("the row has %d effects after %d attempts, want 1 after 2", n, b.get(id).Attempts)
	}
}

// TestLostLeaseCancelsAndCommitsNothing: the context of the attempt ends.
func TestLostLeaseCancelsAndCommitsNothing(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	ctx, id := t.Context(), row(b, effect, testArgs{N: 1})
	claimed, verdict := make(chan int64, 1), make(chan error, 1)
	workers.RegisterRow(b.rt, effect, func(ctx context.Context, u *workers.Run[testArgs, int]) error {
		if u.Attempt > 1 {
			return countEffect(ctx, u)
		}
		claimed <- u.Job.Fence
		<-ctx.Done()
		err := countEffect(context.WithoutCancel(ctx), u)
		verdict <- errors.Join(err, context.Cause(ctx))
		return err
	})
	b.start(b.rt)
	b.client.DispatchFor(ctx, uuid.Nil, effect.Kind(), id)
	await.Recv(t, claimed)
	// As if another worker had claimed the row.
	if _, err := b.db.ExecContext(ctx, `UPDATE jobs SET fence = fence + 1, lease_until = now() WHERE id = $1`, id); err != nil {
		t.Fatal(err)
	}
	if err := await.Recv(t, verdict); !errors.Is(err, jobrow.ErrFenced) {
		t.Errorf("the attempt ends with the error %v, want ErrFenced", err)
	}
	await.Until(b.t, "redone", func() bool { return b.rt.Reconcile(ctx) == nil && b.get(id).State == models.JobDone })
	if n := b.effects()[id]; n != 1 {
		t.Errorf("the row has %d effects, want 1", n)
	}
}

// TestIdleQueueHidesNoLostRow: a row without a task gets one, although many rows that are due earlier wait in another queue.
func TestIdleQueueHidesNoLostRow(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	workers.RegisterRow(b.rt, effect, countEffect)
	workers.RegisterRow(b.rt, aside, countEffect)
	var waiting []uuid.UUID
	const many = `INSERT INTO jobs (id, kind, next_attempt_at)
		SELECT gen_random_uuid(), $1, now() - interval '1 hour' FROM generate_series(1, 1000) RETURNING id`
	if err := b.db.SelectContext(t.Context(), &waiting, many, effect.Kind()); err != nil {
		t.Fatal(err)
	}
	for _, id := range waiting {
		if err := b.client.DispatchRows(t.Context(), models.JobRef{Kind: effect.Kind(), ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	lost := row(b, aside, testArgs{N: 1})
	// The row without a task is due last.
	const dueLast = `UPDATE jobs SET next_attempt_at = now() - interval '1 minute' WHERE id = $1`
	dbtest.Exec(t, b.db, dueLast, lost)
	if err := b.rt.Reconcile(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Reconcile has raised the generation to 1.
	lostRows, err := b.client.LostRows(t.Context(), models.JobRef{Kind: aside.Kind(), ID: lost, Generation: 1})
	if err != nil || len(lostRows) > 0 {
		t.Errorf("the row is still without a task: %v, %v", lostRows, err)
	}
}

func TestFlushLosesNothing(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	ctx := t.Context()
	workers.RegisterRow(b.rt, effect, func(ctx context.Context, u *workers.Run[testArgs, int]) error {
		if u.Attempt == 1 && u.Args.N%3 == 0 {
			return errors.New("first attempt fails")
		}
		return countEffect(ctx, u)
	})
	b.start(b.rt)
	const rows = 150
	ids := make([]uuid.UUID, rows)
	for i := range ids {
		ids[i] = row(b, effect, testArgs{N: i})
		b.client.DispatchFor(ctx, uuid.Nil, effect.Kind(), ids[i])
		if i%50 == 25 {
			if err := b.redis.FlushAll(ctx).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	await.Until(b.t, "all done", func() bool {
		if err := b.rt.Reconcile(ctx); err != nil {
			t.Fatal(err)
		}
		left, err := jobrow.ReadStats(ctx, b.db)
		return err == nil && len(left) == 0
	})
	done := b.effects()
	for _, id := range ids {
		if done[id] != 1 {
			t.Errorf("the row %s has %d effects, want 1", id, done[id])
		}
	}
}

func TestFailedRowIsArchivedAndRunsAgainByHand(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	ctx := t.Context()
	var mend sync.Map
	workers.RegisterRow(b.rt, effect, func(ctx context.Context, u *workers.Run[testArgs, int]) error {
		if _, ok := mend.Load(u.Job.ID); ok {
			return countEffect(ctx, u)
		}
		if u.Attempt == 1 {
			panic("boom")
		}
		return errors.New("still broken")
	})
	b.start(b.rt)
	queue := asynq.NewInspectorFromRedisClient(b.redis)
	archived := func(id uuid.UUID) string {
		tasks, err := queue.ListArchivedTasks(jobs.Webhooks)
		if err != nil {
			return ""
		}
		for _, task := range tasks {
			var p jobs.Payload
			if json.Unmarshal(task.Payload, &p) == nil && p.Row == id {
				return task.ID
			}
		}
		return ""
	}
	run := func() uuid.UUID {
		id := row(b, effect, testArgs{N: 1})
		b.client.DispatchFor(ctx, uuid.Nil, effect.Kind(), id)
		b.state(id, models.JobFailed)
		await.Until(b.t, "archived", func() bool { return archived(id) != "" })
		if j := b.get(id); j.Attempts != 3 || string(j.Error) == "null" {
			t.Errorf("the row failed after %d attempts with the error %s, want 3 attempts and an error", j.Attempts, j.Error)
		}
		return id
	}

	t.Run("from the queue's page", func(t *testing.T) {
		t.Parallel()
		id := run()
		if err := queue.RunTask(jobs.Webhooks, archived(id)); err != nil { // while the handler still fails
			t.Fatal(err)
		}
		await.Until(b.t, "one more attempt", func() bool { j := b.get(id); return j.Attempts == 4 && j.State == models.JobFailed })
		await.Until(b.t, "archived again", func() bool { return archived(id) != "" })
		mend.Store(id, true)
		if err := queue.RunTask(jobs.Webhooks, archived(id)); err != nil {
			t.Fatal(err)
		}
		b.state(id, models.JobDone)
	})
	t.Run("by its row", func(t *testing.T) {
		t.Parallel()
		id := run()
		mend.Store(id, true)
		for range 2 { // a second requeue has no second effect
			rows, err := jobrow.Requeue(ctx, b.db, []uuid.UUID{id})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				if err := b.client.DispatchRows(ctx, r.JobRef); err != nil {
					t.Fatal(err)
				}
			}
		}
		b.state(id, models.JobDone)
		rows, err := jobrow.Requeue(ctx, b.db, []uuid.UUID{id})
		if err != nil || len(rows) != 0 || b.effects()[id] != 1 {
			t.Errorf("requeueing a done row returns the rows %v (error %v), and the row has %d effects; want no rows and 1 effect", rows, err, b.effects()[id])
		}
	})
}

// TestNotDueRunsNoAttempt: a task that the queue delivers too early waits until its row is due.
func TestNotDueRunsNoAttempt(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	ctx := t.Context()
	workers.RegisterRow(b.rt, delayed, func(context.Context, *workers.Run[testArgs, int]) error { return errors.New("no") })
	b.start(b.rt)
	id := row(b, delayed, testArgs{})
	b.client.DispatchFor(ctx, uuid.Nil, delayed.Kind(), id)
	queue := asynq.NewInspectorFromRedisClient(b.redis)
	task := jobs.TaskID(models.JobRef{Kind: delayed.Kind(), ID: id})
	waits := func() bool {
		info, err := queue.GetTaskInfo(jobs.Webhooks, task)
		return err == nil && info.State == asynq.TaskStateRetry
	}
	await.Until(b.t, "waits for the second attempt", waits)
	j := b.get(id)
	if wait := time.Until(j.NextAttemptAt); j.Attempts != 1 || wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("the row has %d attempts and is due in %s, want 1 attempt and about an hour", j.Attempts, wait)
	}
	info, err := queue.GetTaskInfo(jobs.Webhooks, task)
	if err != nil || info.NextProcessAt.Before(j.NextAttemptAt) || info.NextProcessAt.Sub(j.NextAttemptAt) > 2*time.Second {
		t.Errorf("the row is due at %s, but its task at %s", j.NextAttemptAt, info.NextProcessAt)
	}
	if err := queue.RunTask(jobs.Webhooks, task); err != nil { // before it is due
		t.Fatal(err)
	}
	await.Until(b.t, "waits again", waits)
	if j := b.get(id); j.Attempts != 1 {
		t.Errorf("an early task made attempt %d", j.Attempts)
	}
}

// TestStopGivesRowsBack: a worker that stops gives its running rows back without counting an attempt. The rows are due at once.
func TestStopGivesRowsBack(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	ctx, id := t.Context(), row(b, delayed, testArgs{N: 1})
	started := make(chan struct{}, 1)
	workers.RegisterRow(b.rt, delayed, func(ctx context.Context, _ *workers.Run[testArgs, int]) error {
		started <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	stop := b.start(b.rt)
	b.client.DispatchFor(ctx, uuid.Nil, delayed.Kind(), id)
	await.Recv(t, started)
	stop()
	if j := b.get(id); j.State != models.JobPending || j.Attempts != 0 || time.Until(j.NextAttemptAt) > 0 {
		t.Errorf("after the stop the row is %s with %d attempts and due at %s, want pending without an attempt and due now", j.State, j.Attempts, j.NextAttemptAt)
	}
	next := b.runtime()
	workers.RegisterRow(next, delayed, countEffect)
	b.start(next)
	b.state(id, models.JobDone)
}

// TestFailureIsRecorded: the failure of a row is recorded once, also if a worker died in every attempt. It is not recorded again if
// the handler has recorded it.
func TestFailureIsRecorded(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	recordNothing := func(db.Conn, workers.NextAttempt) error { return nil } // as if it recorded the failure
	workers.RegisterRow(b.rt, effect, func(ctx context.Context, u *workers.Run[testArgs, int]) error {
		switch u.Args.N {
		case 1:
			return models.Invalid("no", "never")
		case 2:
			return u.Fail(ctx, errors.New("never"), recordNothing)
		}
		return errors.New("not yet")
	}, workers.WithFailed(func(ctx context.Context, c db.Conn, row models.Job, cause error) error {
		return db.Run(ctx, c, "note", `INSERT INTO effects VALUES ($1, $2)`, row.ID, len(cause.Error()))
	}))
	refused, recordedByHandler := row(b, effect, testArgs{N: 1}), row(b, effect, testArgs{N: 2})
	late, died := row(b, effect, testArgs{N: 3}), row(b, effect, testArgs{N: 4})
	dbtest.Exec(t, b.db, `UPDATE jobs SET attempts = 1000 WHERE id = $1`, died)
	b.start(b.rt)
	all := []uuid.UUID{refused, recordedByHandler, late, died}
	for _, id := range all {
		b.client.DispatchFor(t.Context(), uuid.Nil, effect.Kind(), id)
	}
	for _, id := range all {
		b.state(id, models.JobFailed)
	}
	got := b.effects()
	if got[refused] != 1 || got[recordedByHandler] != 0 || got[late] != 1 || got[died] != 1 {
		t.Errorf("the numbers of recorded failures are %v, want 1 for each row, but 0 for the row whose handler records the failure", got)
	}
}

// TestPlatforms: all accounts share the job slots of a platform such as Meta, but customers' servers have their own.
func TestPlatforms(t *testing.T) {
	t.Parallel()
	one, two := uuid.New(), uuid.New()
	if platformjob.Name("meta", one) != platformjob.Name("meta", two) || platformjob.Name("custom", one) == platformjob.Name("custom", two) {
		t.Error("two accounts have different slots for the platform meta, or two customers' servers share slots")
	}
}
