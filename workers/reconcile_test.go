package workers_test

import (
	"testing"

	"switchyard/db/dbtest"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/workers"
)

// TestReconcileGetsOnThoughRedisIsSlow: each run that ends early enqueues some rows, which the next run checks with few commands.
func TestReconcileGetsOnThoughRedisIsSlow(t *testing.T) {
	t.Parallel()
	b := newJobEnv(t)
	workers.RegisterRow(b.rt, effect, countEffect)
	const rows, answered, rounds = 600, 150, 10 // answered: commands that Redis answers in a run; rounds: maximum number of runs
	const insertRows = `INSERT INTO jobs (id, kind, next_attempt_at)
		SELECT gen_random_uuid(), $1, now() - interval '1 hour' FROM generate_series(1, $2)`
	dbtest.Exec(t, b.db, insertRows, effect.Kind(), rows)
	slow := jobstest.SlowDown(b.redis)
	n := 0
	for err := jobstest.ErrSlow; err != nil; n++ {
		if n == rounds {
			t.Fatalf("after %d runs, a run still ends early: %v", n, err)
		}
		slow.Answer(answered)
		err = b.rt.Reconcile(t.Context())
	}
	t.Logf("%d rows in %d runs of %d commands", rows, n, answered)
	var refs []models.JobRef
	const selectRows = `SELECT id, account_id, kind, generation FROM jobs WHERE kind = $1`
	if err := b.db.SelectContext(t.Context(), &refs, selectRows, effect.Kind()); err != nil {
		t.Fatal(err)
	}
	slow.Answer(answered)
	if lost, err := b.client.LostRows(t.Context(), refs...); err != nil || len(lost) > 0 || len(refs) != rows {
		t.Errorf("%d of %d rows are lost, %v", len(lost), len(refs), err)
	}
}
