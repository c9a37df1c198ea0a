package queue_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/ops/queue"
)

var (
	ping  = jobs.Define[jobs.None, jobs.None]("qtest:ping", jobs.Policy{Queue: jobs.Interactive})
	rowed = jobs.Define[jobs.None, jobs.None]("qtest:rowed", jobs.Policy{Queue: jobs.Bulk, Row: true})
)

type env struct {
	*testing.T
	queue.Inspector
}

func newEnv(t *testing.T) env {
	t.Helper()
	r := jobstest.Redis(t)
	return env{t, queue.Inspector{DB: dbtest.New(t), Redis: r, Client: jobs.Connect(r)}}
}

// failedRow makes a failed row that has no task, as happens when Redis was emptied.
func (b env) failedRow() uuid.UUID {
	b.Helper()
	j, err := rowed.NewRow(uuid.Nil, jobs.None{})
	if err != nil {
		b.Fatal(err)
	}
	j.NextAttemptAt = time.Now().Add(-time.Second)
	if err := jobrow.Insert(b.Context(), b.DB, j); err != nil {
		b.Fatal(err)
	}
	j, err = jobrow.Claim(b.Context(), b.DB, jobrow.ClaimRequest{ID: j.ID, Kind: j.Kind, Lease: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	err = jobrow.Fail(b.Context(), b.DB, j.ID, j.Fence, jobrow.CauseOf(models.Invalid("bad", "no good")), 0)
	if err != nil {
		b.Fatal(err)
	}
	return j.ID
}

func (b env) archivedTask() string {
	b.Helper()
	ticket, err := jobs.Submit(b.Context(), b.Client, ping, uuid.Nil, jobs.None{})
	if err != nil {
		b.Fatal(err)
	}
	if err := asynq.NewInspectorFromRedisClient(b.Redis).ArchiveTask(jobs.Interactive, ticket.ID); err != nil {
		b.Fatal(err)
	}
	return ticket.ID
}

func (b env) ids(f queue.Filter) []string {
	b.Helper()
	items, more, err := b.List(b.Context(), f)
	if err != nil || more != 0 {
		b.Fatalf("%d jobs are left out of the list, want 0: %v", more, err)
	}
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return ids
}

// TestListAndRequeue: jobs are listed by queue, state and kind, and a failed job runs again when it is named.
func TestListAndRequeue(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	row, task := b.failedRow().String(), b.archivedTask()
	for _, c := range []struct {
		f    queue.Filter
		want []string
	}{
		{queue.Filter{}, []string{row, task}},
		{queue.Filter{State: "archived"}, []string{row, task}},
		{queue.Filter{Queue: jobs.Bulk}, []string{row}},
		{queue.Filter{Kind: "qtest:ping"}, []string{task}},
		{queue.Filter{State: "pending"}, []string{}},
		{queue.Filter{Queue: jobs.Webhooks}, []string{}},
	} {
		if got := b.ids(c.f); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.f, got, c.want)
		}
	}
	done, err := b.Requeue(t.Context(), "qtest:rowed:"+row+":0", task, uuid.NewString(), "nonsense")
	if err != nil || len(done) != 2 {
		t.Fatalf("requeued %v, want two jobs: %v", done, err)
	}
	if got := b.ids(queue.Filter{State: "retry"}); !slices.Equal(got, []string{row}) {
		t.Errorf("rows that wait for a retry: %v, want only the requeued row", got)
	}
	if got := b.ids(queue.Filter{State: "pending"}); !slices.Equal(got, []string{task}) {
		t.Errorf("pending tasks: %v, want only the requeued task", got)
	}
	if lost, err := b.Client.LostRows(t.Context(), models.JobRef{Kind: rowed.Kind(), ID: uuid.MustParse(row), Generation: 1}); err != nil || len(lost) > 0 {
		t.Errorf("the row has no task: %v", err)
	}
}

// TestRequeueAll: the failed jobs of a queue and kind run again, and no others.
func TestRequeueAll(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	row, task := b.failedRow().String(), b.archivedTask()
	for _, c := range []struct {
		queue, kind string
		want        []string
	}{
		{jobs.Webhooks, "", []string{}},
		{"", "qtest:other", []string{}},
		{jobs.Bulk, "", []string{row}},
		{"", "", []string{task}},
		{"", "", []string{}},
	} {
		done, err := b.RequeueAll(t.Context(), c.queue, c.kind)
		if err != nil || !slices.Equal(done, c.want) {
			t.Errorf("all of %q %q: %v, %v, want %v", c.queue, c.kind, done, err, c.want)
		}
	}
}

// TestListTellsWhatItLeavesOut: the limit applies to row jobs and ephemeral jobs together.
func TestListTellsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	for range 4 {
		b.failedRow()
		b.archivedTask()
	}
	for limit, left := range map[int]int{1: 7, 4: 4, 5: 3, 8: 0, 0: 0} {
		items, more, err := b.List(t.Context(), queue.Filter{State: "archived", Limit: limit})
		if err != nil || more != left || len(items) != 8-left {
			t.Errorf("limit %d: %d listed, %d left out, %v; want %d left out", limit, len(items), more, err, left)
		}
	}
}

// TestRequeueClearsTheArchive: requeuing a row deletes its archived task, even one of an older generation.
func TestRequeueClearsTheArchive(t *testing.T) {
	t.Parallel()
	b := newEnv(t)
	row := b.failedRow()
	if err := b.Client.DispatchRows(t.Context(), models.JobRef{Kind: rowed.Kind(), ID: row}); err != nil {
		t.Fatal(err)
	}
	in := asynq.NewInspectorFromRedisClient(b.Redis)
	if err := in.ArchiveTask(jobs.Bulk, jobs.TaskID(models.JobRef{Kind: rowed.Kind(), ID: row})); err != nil {
		t.Fatal(err)
	}
	dbtest.Exec(t, b.DB, `UPDATE jobs SET generation = 3 WHERE id = $1`, row)
	if _, err := b.RequeueAll(t.Context(), "", ""); err != nil {
		t.Fatal(err)
	}
	if tasks, err := in.ListArchivedTasks(jobs.Bulk); err != nil || len(tasks) != 0 {
		t.Errorf("%d tasks are still archived, %v", len(tasks), err)
	}
}
