package jobrow_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// finish completes a new job of an account. The result of the job has the given size in bytes.
func finish(t *testing.T, d *db.DB, owner uuid.UUID, size int) uuid.UUID {
	t.Helper()
	j := mustClaim(t, d, claim(add(t, d, owner, time.Now().Add(-time.Minute))))
	result, err := json.Marshal(strings.Repeat("x", size-2))
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Tx(t.Context(), d, func(c db.Conn) error {
		if err := jobrow.Complete(t.Context(), c, j.ID, j.Fence, result); err != nil {
			return err
		}
		return jobrow.LimitResults(t.Context(), c, j, result)
	}); err != nil {
		t.Fatal(err)
	}
	return j.ID
}

// TestResultsAreBounded checks that the plan limits the total size of an account's results. The oldest large ones are dropped
// first.
func TestResultsAreBounded(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	owner, other := account(t, d), account(t, d)
	state := func(id uuid.UUID, owner uuid.UUID) string {
		t.Helper()
		s, err := jobrow.Status(t.Context(), d, owner, id)
		if err != nil || s.Status != models.JobDone {
			t.Fatalf("the status of the job is %+v, %v, want done", s, err)
		}
		if s.Error != nil {
			return s.Error.Code
		}
		return "kept"
	}
	const large = 1 << 20
	const recordedSize = models.MaxJobResult // recorded size of each result: together they fill the limit of the plan
	foreign, small := finish(t, d, other, large), finish(t, d, owner, 100)
	plan, _ := models.PlanNamed("pro")
	var all []uuid.UUID
	for range plan.AnswerBytes / recordedSize {
		all = append(all, finish(t, d, owner, large))
	}
	// This leaves no room for another result.
	dbtest.Exec(t, d, `UPDATE job_results SET bytes = $2 WHERE account_id = $1`, owner, recordedSize)
	all = append(all, finish(t, d, owner, large))
	for i, id := range all {
		want := "kept"
		if i == 0 {
			want = "result_dropped"
		}
		if got := state(id, owner); got != want {
			t.Errorf("result %d is %s, want %s", i, got, want)
		}
	}
	if got := state(small, owner) + state(foreign, other); got != "keptkept" {
		t.Errorf("the small result and the other account's result are %s, want keptkept", got)
	}
	if got := state(finish(t, d, owner, models.MaxJobResult+1), owner); got != "result_dropped" {
		t.Errorf("a result above the limit is %s, want result_dropped", got)
	}
	// A job whose result was dropped is not due again, but can be run by hand.
	if got := refused(t, d, claim(all[0])); got != jobrow.Finished {
		t.Errorf("a claim of a job whose result was dropped is refused as %s, want finished", got)
	}
	again := claim(all[0])
	again.Manual = true
	j := mustClaim(t, d, again)
	if err := jobrow.Fail(t.Context(), d, j.ID, j.Fence, jobrow.CauseOf(models.Invalid("x", "x")), noTask); err != nil {
		t.Fatal(err)
	}
	if got := state(all[0], owner); got != "result_dropped" {
		t.Errorf("after a failed manual run the result is %s, want result_dropped", got)
	}
}
