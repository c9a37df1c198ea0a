package jobrow_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/models"
)

const kind = "jtest:work"

// noTask is the generation of a claim or a failure without a task.
const noTask = -1

func account(t *testing.T, d *db.DB) uuid.UUID {
	t.Helper()
	id := uuid.New()
	dbtest.Exec(t, d, `INSERT INTO accounts (id, name, plan, site_key) VALUES ($1, 'a', 'pro', $2)`,
		id, id.String())
	return id
}

func add(t *testing.T, d *db.DB, owner uuid.UUID, due time.Time) uuid.UUID {
	t.Helper()
	j := models.Job{
		ID: uuid.New(), AccountID: uuid.NullUUID{UUID: owner, Valid: owner != uuid.Nil}, Kind: kind,
		NextAttemptAt: due,
	}
	if err := jobrow.Insert(t.Context(), d, j); err != nil {
		t.Fatal(err)
	}
	return j.ID
}

func claim(id uuid.UUID) jobrow.ClaimRequest {
	return jobrow.ClaimRequest{ID: id, Kind: kind, Lease: time.Minute, MaxAttempts: 3, Generation: noTask}
}

func mustClaim(t *testing.T, d *db.DB, want jobrow.ClaimRequest) models.Job {
	t.Helper()
	j, err := jobrow.Claim(t.Context(), d, want)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func refused(t *testing.T, d *db.DB, want jobrow.ClaimRequest) string {
	t.Helper()
	_, err := jobrow.Claim(t.Context(), d, want)
	r, ok := errors.AsType[*jobrow.RefusalError](err)
	if !ok {
		t.Fatalf("claim: %v, want a refusal", err)
	}
	return r.Reason
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	d, ctx := dbtest.New(t), t.Context()
	owner := account(t, d)
	id, past := add(t, d, owner, time.Now().Add(-time.Minute)), time.Now().Add(-time.Minute)
	for name, c := range map[string]func(*jobrow.ClaimRequest){
		"other account": func(c *jobrow.ClaimRequest) { c.Account = account(t, d) },
		"other kind":    func(c *jobrow.ClaimRequest) { c.Kind = "jtest:else" },
		"other id":      func(c *jobrow.ClaimRequest) { c.ID = uuid.New() },
	} {
		want := claim(id)
		c(&want)
		if r := refused(t, d, want); r != jobrow.Gone {
			t.Errorf("%s: refused as %s, want gone", name, r)
		}
	}
	mine := claim(id)
	mine.Account = owner
	j := mustClaim(t, d, mine)
	if j.Fence != 1 || j.Attempts != 1 || j.State != models.JobRunning {
		t.Errorf("the claimed row is %+v, want running, fence 1 and attempt 1", j)
	}
	manual := claim(id)
	manual.Manual = true
	if r := refused(t, d, claim(id)) + refused(t, d, manual); r != jobrow.Held+jobrow.Held {
		t.Errorf("a held row: the reasons of a normal and a manual claim, joined, are %s, want heldheld", r)
	}
	if err := jobrow.Complete(ctx, d, id, j.Fence, nil); err != nil {
		t.Fatal(err)
	}
	if r := refused(t, d, claim(id)); r != jobrow.Finished {
		t.Errorf("a finished row: refused as %s, want finished", r)
	}
	if r := refused(t, d, claim(add(t, d, owner, time.Now().Add(time.Hour)))); r != jobrow.NotDue {
		t.Errorf("a row that is not due: refused as %s, want %s", r, jobrow.NotDue)
	}
	failed := mustClaim(t, d, claim(add(t, d, owner, past)))
	const generation = 4 // of the task that failed
	if err := jobrow.Fail(ctx, d, failed.ID, failed.Fence, jobrow.CauseOf(errors.New("x")), generation); err != nil {
		t.Fatal(err)
	}
	stale, archived := claim(failed.ID), claim(failed.ID)
	stale.Generation, archived.Generation = generation-1, generation
	if r := refused(t, d, stale); r != jobrow.Finished {
		t.Errorf("a stale task of a failed row: refused as %s, want finished", r)
	}
	if j := mustClaim(t, d, archived); j.AttemptLimit-j.Attempts != 0 {
		t.Errorf("the archived task has %d more attempts after this one, want 0", j.AttemptLimit-j.Attempts)
	}
}

func TestEffectAndStateCommitTogether(t *testing.T) {
	t.Parallel()
	d, ctx := dbtest.New(t), t.Context()
	if _, err := d.ExecContext(ctx, `CREATE TABLE effects (n int)`); err != nil {
		t.Fatal(err)
	}
	short := claim(add(t, d, uuid.Nil, time.Now().Add(-time.Minute)))
	short.Lease = time.Nanosecond
	first, second := mustClaim(t, d, short), mustClaim(t, d, short)
	commit := func(fence int64) error {
		return db.Tx(ctx, d, func(c db.Conn) error {
			if err := jobrow.Complete(ctx, c, short.ID, fence, json.RawMessage(`{"n":1}`)); err != nil {
				return err
			}
			_, err := c.ExecContext(ctx, `INSERT INTO effects VALUES (1)`)
			return err
		})
	}
	if err := commit(first.Fence); !errors.Is(err, jobrow.ErrFenced) {
		t.Errorf("commit of the worker that lost its lease: %v, want ErrFenced", err)
	}
	if err := commit(second.Fence); err != nil {
		t.Errorf("commit of the worker that holds the lease: %v, want no error", err)
	}
	var n int
	if err := d.GetContext(ctx, &n, `SELECT count(*) FROM effects`); err != nil || n != 1 {
		t.Errorf("the effect was stored %d times, %v, want once", n, err)
	}
}

func TestManyClaimers(t *testing.T) {
	t.Parallel()
	d, ctx := dbtest.New(t), t.Context()
	id := add(t, d, uuid.Nil, time.Now().Add(-time.Minute))
	var won sync.Map
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			if _, err := jobrow.Claim(ctx, d, claim(id)); err == nil {
				won.Store(i, true)
			}
		})
	}
	all.Wait()
	n := 0
	won.Range(func(any, any) bool { n++; return true })
	if n != 1 {
		t.Errorf("%d claims succeeded, want 1", n)
	}
}

func TestDueAndRegenerate(t *testing.T) {
	t.Parallel()
	d, ctx, past := dbtest.New(t), t.Context(), time.Now().Add(-time.Minute)
	waiting, crashed := add(t, d, uuid.Nil, past), claim(add(t, d, uuid.Nil, past))
	crashed.Lease = time.Nanosecond
	mustClaim(t, d, crashed)
	mustClaim(t, d, claim(add(t, d, uuid.Nil, past))) // held by a worker
	add(t, d, uuid.Nil, time.Now().Add(time.Hour))
	done := mustClaim(t, d, claim(add(t, d, uuid.Nil, past)))
	if err := jobrow.Complete(ctx, d, done.ID, done.Fence, nil); err != nil {
		t.Fatal(err)
	}
	due, err := jobrow.ListDue(ctx, d, []string{kind}, jobrow.Due{}, 10)
	if err != nil || len(due) != 2 || due[0].ID != waiting || due[1].ID != crashed.ID {
		t.Fatalf("due rows: %+v, %v, want the waiting row, then the row whose lease has ended", due, err)
	}
	if next, err := jobrow.ListDue(ctx, d, []string{kind}, due[0], 10); err != nil || len(next) != 1 || next[0].ID != crashed.ID {
		t.Errorf("due rows after the first: %+v, %v, want the row whose lease has ended", next, err)
	}
	if none, err := jobrow.ListDue(ctx, d, []string{"jtest:else"}, jobrow.Due{}, 10); err != nil || len(none) != 0 {
		t.Errorf("due rows of another kind: %+v, %v, want none", none, err)
	}
	refs := []models.JobRef{due[0].JobRef, due[1].JobRef}
	for i, want := range []int{2, 0} { // the second reconciler has old generations
		if rows, err := jobrow.Regenerate(ctx, d, refs); err != nil || len(rows) != want {
			t.Errorf("reconciler %d regenerated %+v, %v, want %d rows", i, rows, err, want)
		}
	}
}

func TestRequeue(t *testing.T) {
	t.Parallel()
	d, ctx, past := dbtest.New(t), t.Context(), time.Now().Add(-time.Minute)
	fail := func() uuid.UUID {
		j := mustClaim(t, d, claim(add(t, d, uuid.Nil, past)))
		if err := jobrow.Fail(ctx, d, j.ID, j.Fence, jobrow.CauseOf(errors.New("x")), noTask); err != nil {
			t.Fatal(err)
		}
		return j.ID
	}
	failed, later := fail(), add(t, d, uuid.Nil, time.Now().Add(time.Hour))
	held := mustClaim(t, d, claim(add(t, d, uuid.Nil, past)))
	rows, err := jobrow.Requeue(ctx, d, []uuid.UUID{failed, later, held.ID})
	if err != nil || len(rows) != 2 {
		t.Fatalf("requeued with ids: %+v, %v, want the failed and the waiting row", rows, err)
	}
	for _, id := range []uuid.UUID{failed, later} {
		mustClaim(t, d, claim(id))
	}
	fail()
	if rows, err := jobrow.Requeue(ctx, d, nil, "jtest:else"); err != nil || len(rows) != 0 {
		t.Errorf("requeued rows of another kind: %+v, %v, want none", rows, err)
	}
	if rows, err := jobrow.Requeue(ctx, d, nil); err != nil || len(rows) != 1 {
		t.Errorf("requeued without ids: %+v, %v, want the failed row", rows, err)
	}
}

// TestStats checks that a due row counts as waiting until a worker holds it, and again once the worker's lease has ended.
func TestStats(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	waits := func() map[string]bool {
		t.Helper()
		stats, err := jobrow.ReadStats(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]bool{}
		for _, s := range stats {
			out[s.State] = s.OldestDue > 0
		}
		return out
	}
	want := claim(add(t, d, uuid.Nil, time.Now().Add(-time.Hour)))
	if got := waits(); !got[models.JobPending] {
		t.Errorf("a pending row does not count as waiting: %v", got)
	}
	held := mustClaim(t, d, want)
	if got := waits(); got[models.JobRunning] {
		t.Errorf("a held row counts as waiting: %v", got)
	}
	if err := jobrow.Renew(t.Context(), d, held.ID, held.Fence, -time.Second); err != nil {
		t.Fatal(err)
	}
	if got := waits(); !got[models.JobRunning] {
		t.Errorf("a row whose lease has ended does not count as waiting: %v", got)
	}
}

func TestStatusAndPrune(t *testing.T) {
	t.Parallel()
	d, ctx, past := dbtest.New(t), t.Context(), time.Now().Add(-time.Minute)
	owner := account(t, d)
	end := func(fn func(context.Context, models.Job) error) uuid.UUID {
		j := mustClaim(t, d, claim(add(t, d, owner, past)))
		if err := fn(ctx, j); err != nil {
			t.Fatal(err)
		}
		return j.ID
	}
	done := end(func(ctx context.Context, j models.Job) error {
		return jobrow.Complete(ctx, d, j.ID, j.Fence, json.RawMessage(`{"rows": 2}`))
	})
	known := end(func(ctx context.Context, j models.Job) error {
		return jobrow.Fail(ctx, d, j.ID, j.Fence, jobrow.CauseOf(models.Invalid("bad_csv", "line 3\x00")), noTask)
	})
	secret := end(func(ctx context.Context, j models.Job) error {
		return jobrow.Fail(ctx, d, j.ID, j.Fence, jobrow.CauseOf(errors.New("dial 10.0.0.1: \xff")), noTask)
	})
	pending := add(t, d, owner, past)
	for id, want := range map[uuid.UUID]string{done: "", known: "bad_csv", secret: "internal_error", pending: ""} {
		s, err := jobrow.Status(ctx, d, owner, id)
		if err != nil || want != "" && (s.Error == nil || s.Error.Code != want || strings.Contains(s.Error.Message, "dial")) {
			t.Errorf("status: %+v, %v, want %q", s, err, want)
		}
		if _, err := jobrow.Status(ctx, d, account(t, d), id); !errors.Is(err, models.NotFound("job")) {
			t.Errorf("status for another account: %v, want not_found", err)
		}
	}
	if s, _ := jobrow.Status(ctx, d, owner, done); s.Status != models.JobDone || string(s.Result) != `{"rows": 2}` {
		t.Errorf("status of the completed job: %+v, want done with its result", s)
	}
	if n, err := jobrow.DeleteFinished(ctx, d, time.Now().Add(-time.Hour)); err != nil || n != 0 {
		t.Errorf("%d rows that finished later than the limit were deleted, %v, want none", n, err)
	}
	if n, err := jobrow.DeleteFinished(ctx, d, time.Now().Add(time.Hour)); err != nil || n != 3 {
		t.Errorf("%d rows deleted, %v, want the three finished ones", n, err)
	}
}

// TestOnlyTheClaimCommitsAsynchronously checks that only the claim's own transaction commits without waiting for the disk.
func TestOnlyTheClaimCommitsAsynchronously(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	d.SetMaxOpenConns(1)
	dbtest.Exec(t, d, `SET synchronous_commit = on`)
	mustClaim(t, d, claim(add(t, d, uuid.Nil, time.Now().Add(-time.Minute))))
	var after string
	if err := d.GetContext(t.Context(), &after, `SHOW synchronous_commit`); err != nil || after != "on" {
		t.Errorf("after the claim synchronous_commit is %s, %v, want on", after, err)
	}
}
