package jobs_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// TestLostWhicheverKeyIsGone checks that a row counts as lost if and only if its task can no longer reach a worker, whatever the
// task's own hash says.
func TestLostWhicheverKeyIsGone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		key  string
		want [3]bool // expected results for the older of two tasks, the younger, and a task that is enqueued after the loss
	}{
		{"none", [3]bool{}},
		{"pending", [3]bool{true, true, false}},
		{"t:", [3]bool{false, true, false}}, // the test appends the id of the younger task
	} {
		t.Run(c.key, func(t *testing.T) {
			t.Parallel()
			r := jobstest.Redis(t)
			client := jobs.Connect(r)
			var rows [3]models.JobRef
			for i := range rows {
				rows[i] = models.JobRef{Kind: rowJob.Kind(), ID: uuid.New()}
			}
			if err := client.DispatchRows(t.Context(), rows[:2]...); err != nil {
				t.Fatal(err)
			}
			key := "asynq:{webhooks}:" + c.key
			if c.key == "t:" {
				key += jobs.TaskID(rows[1])
			}
			if err := r.Del(t.Context(), key).Err(); err != nil {
				t.Fatal(err)
			}
			// The tasks of the deleted list become older than the oldest task of the new list.
			for _, old := range rows[:2] {
				task := "asynq:{webhooks}:t:" + jobs.TaskID(old)
				if r.Exists(t.Context(), task).Val() == 1 && c.key == "pending" {
					r.HSet(t.Context(), task, "pending_since", 1)
				}
			}
			if err := client.DispatchRows(t.Context(), rows[2]); err != nil {
				t.Fatal(err)
			}
			lost, err := client.LostRows(t.Context(), rows[:]...)
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range rows {
				if got := slices.Contains(lost, row); got != c.want[i] {
					t.Errorf("task %d: lost %v, want %v", i, got, c.want[i])
				}
			}
		})
	}
}
