package jobrow_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/db/migrations"
	"switchyard/models"
)

// TestAttemptsByHand checks that a manual attempt does not use up an attempt of a waiting row's schedule. A finished row gets one
// attempt.
func TestAttemptsByHand(t *testing.T) {
	t.Parallel()
	d, ctx := dbtest.New(t), t.Context()
	id := add(t, d, uuid.Nil, time.Now().Add(time.Hour))
	manual := claim(id)
	manual.Manual = true
	cause := jobrow.CauseOf(errors.New("x"))
	for want := 4; want <= 5; want++ { // the claim allows 3 attempts
		j := mustClaim(t, d, manual)
		if j.AttemptLimit != want {
			t.Errorf("a waiting row has the limit %d after %d manual attempts, want %d", j.AttemptLimit, want-3, want)
		}
		if err := jobrow.Retry(ctx, d, id, j.Fence, cause, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	ends := map[string]func(j models.Job) error{
		"failed": func(j models.Job) error { return jobrow.Fail(ctx, d, id, j.Fence, cause, noTask) },
		"done":   func(j models.Job) error { return jobrow.Complete(ctx, d, id, j.Fence, nil) },
	}
	for _, state := range []string{"failed", "done"} {
		j := mustClaim(t, d, manual)
		if err := ends[state](j); err != nil {
			t.Fatal(err)
		}
		if j = mustClaim(t, d, manual); j.AttemptLimit != j.Attempts {
			t.Errorf("a manual attempt of a %s row is attempt %d of %d, want the last one", state, j.Attempts, j.AttemptLimit)
		}
		if err := jobrow.Fail(ctx, d, id, j.Fence, cause, noTask); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRequeuedRowsHaveOneAttempt checks that a requeued row gets one attempt, however many were left.
func TestRequeuedRowsHaveOneAttempt(t *testing.T) {
	t.Parallel()
	d, ctx := dbtest.New(t), t.Context()
	early := mustClaim(t, d, claim(add(t, d, uuid.Nil, time.Now().Add(-time.Minute))))
	if early.AttemptLimit != 0 {
		t.Errorf("a new row has the attempt limit %d, want none", early.AttemptLimit)
	}
	if err := jobrow.Fail(ctx, d, early.ID, early.Fence, jobrow.CauseOf(errors.New("x")), noTask); err != nil {
		t.Fatal(err)
	}
	if rows, err := jobrow.Requeue(ctx, d, nil); err != nil || len(rows) != 1 || rows[0].Archived != -1 {
		t.Fatalf("requeued rows: %+v, %v, want the failed row without an archived task", rows, err)
	}
	if j := mustClaim(t, d, claim(early.ID)); j.Attempts != 2 || j.AttemptLimit != 2 {
		t.Errorf("the requeued row runs attempt %d of %d, want 2 of 2", j.Attempts, j.AttemptLimit)
	}
}

// TestLimitsOfOldRows checks that rows of the previous version keep their number of attempts, and that processes of that version
// find enough attempts in a new row.
func TestLimitsOfOldRows(t *testing.T) {
	t.Parallel()
	d, ctx := dbtest.New(t), t.Context()
	const old = `INSERT INTO jobs (id, account_id, kind, args, max_attempts, next_attempt_at, created_at)
		VALUES ($1, NULL, $2, '{}', $3, now(), now())`
	limits := map[uuid.UUID]int{}
	for _, r := range []struct {
		kind       string
		max, limit int
	}{
		{models.KindDeliverWebhook, 7, 0},
		{models.KindDeliverWebhook, 1, 1}, // a ping
		{models.KindRecordConversion, 12, 0},
		{models.KindRecordConversion, 14, 14}, // a postback that was run again by hand
		{kind, 3, 0},
	} {
		id := uuid.New()
		limits[id] = r.limit
		if _, err := d.ExecContext(ctx, old, id, r.kind, r.max); err != nil {
			t.Fatal(err)
		}
	}
	text, err := fs.ReadFile(migrations.FS, "0017_job_attempt_limit_rows.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, up, _ := strings.Cut(string(text), "-- +goose Up")
	up, _, _ = strings.Cut(up, "-- +goose Down")
	if err := db.Tx(ctx, d, func(c db.Conn) error { _, err := c.ExecContext(ctx, up); return err }); err != nil {
		t.Fatal(err)
	}
	rows, err := jobrow.List(ctx, d, jobrow.Filter{})
	if err != nil || len(rows) != len(limits) {
		t.Fatalf("%d rows are listed, %v, want %d", len(rows), err, len(limits))
	}
	for _, j := range rows {
		if j.AttemptLimit != limits[j.ID] {
			t.Errorf("%s: limit %d, want %d", j.Kind, j.AttemptLimit, limits[j.ID])
		}
	}
	var read int // a process of the previous version reads this number
	fresh := add(t, d, uuid.Nil, time.Now())
	if err := d.GetContext(ctx, &read, `SELECT max_attempts FROM jobs WHERE id = $1`, fresh); err != nil || read < 12 {
		t.Errorf("a process of the previous version reads max_attempts %d, %v, want at least 12", read, err)
	}
}
