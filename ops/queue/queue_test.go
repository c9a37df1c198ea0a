package queue_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"switchyard/db/dbtest"
	"switchyard/db/joblog"
	"switchyard/db/outbox"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/ops/queue"
)

var (
	ping  = jobs.Define[jobs.None, jobs.None]("qtest:ping", jobs.Policy{Queue: jobs.Interactive})
	rowed = jobs.Define[jobs.None, jobs.None]("qtest:rowed", jobs.Policy{Queue: jobs.Bulk, Row: true})
)

type bench struct {
	*testing.T
	queue.Desk
}

func newBench(t *testing.T) bench {
	t.Helper()
	r := jobstest.Redis(t)
	return bench{t, queue.Desk{DB: dbtest.New(t), Redis: r, Client: jobs.Connect(r)}}
}

// failedRow makes a row that failed, as after Redis was emptied: no task of it is left.
func (b bench) failedRow() uuid.UUID {
	b.Helper()
	j, err := rowed.NewRow(uuid.Nil, jobs.None{})
	if err != nil {
		b.Fatal(err)
	}
	j.NextAttemptAt = time.Now().Add(-time.Second)
	if err := outbox.AddJob(b.Context(), b.DB, j); err != nil {
		b.Fatal(err)
	}
	j, err = joblog.Take(b.Context(), b.DB, joblog.Claim{ID: j.ID, Kind: j.Kind, Lease: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	err = joblog.Fail(b.Context(), b.DB, j.ID, j.Fence, joblog.CauseOf(models.Invalid("bad", "no good")), 0)
	if err != nil {
		b.Fatal(err)
	}
	return j.ID
}

// archivedTask makes an ephemeral job that failed.
func (b bench) archivedTask() string {
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

func (b bench) ids(f queue.Filter) []string {
	b.Helper()
	items, err := b.List(b.Context(), f)
	if err != nil {
		b.Fatal(err)
	}
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ID
	}
	return ids
}

func TestListAndRequeue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
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
		t.Fatalf("requeued %v, %v", done, err)
	}
	if got := b.ids(queue.Filter{State: "retry"}); !slices.Equal(got, []string{row}) {
		t.Errorf("waiting rows: %v", got)
	}
	if got := b.ids(queue.Filter{State: "pending"}); !slices.Equal(got, []string{task}) {
		t.Errorf("waiting tasks: %v", got)
	}
	if lost, err := b.Client.LostRow(t.Context(), jobs.Row{Kind: rowed.Kind(), ID: uuid.MustParse(row), Generation: 1}); err != nil || lost {
		t.Errorf("the row has no task: %v", err)
	}
}

func TestRequeueAll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
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
