package jobs_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

type doubleArgs struct {
	N int `json:"n"`
}

var (
	double = jobs.Define[doubleArgs, int]("test:double", jobs.Policy{Queue: jobs.Interactive})
	rowJob = jobs.Define[doubleArgs, int]("test:rowed", jobs.Policy{
		Queue: jobs.Webhooks, Retries: []time.Duration{time.Second, time.Minute, time.Hour}, Row: true,
	})
)

func TestParseQueues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want map[string]int
		bad  bool
	}{
		{text: "interactive=6,webhooks=4", want: map[string]int{"interactive": 6, "webhooks": 4}},
		{text: " bulk ", want: map[string]int{"bulk": 2}},
		{text: "", want: map[string]int{
			"interactive": 6, "webhooks": 10, "postbacks": 6, "conversions": 4, "bulk": 2, "maintenance": 2,
		}},
		{text: "bulk=0", bad: true},
		{text: "bulk=x", bad: true},
		{text: "bulk,bulk", bad: true},
		{text: "default=1", bad: true},
	} {
		got, err := jobs.ParseQueues(c.text)
		if (err != nil) != c.bad || len(got) != len(c.want) {
			t.Errorf("ParseQueues(%q) = %v, %v, want %d queues, error: %v", c.text, got, err, len(c.want), c.bad)
		}
		for _, q := range got {
			if c.want[q.Name] != q.Weight {
				t.Errorf("ParseQueues(%q): %+v, want weight %d", c.text, q, c.want[q.Name])
			}
		}
	}
}

func TestDelayCountsFromTheEnd(t *testing.T) {
	t.Parallel()
	p := rowJob.Policy()
	for left, want := range map[int]time.Duration{3: time.Second, 2: time.Minute, 1: time.Hour, 4: time.Second} {
		if got := p.Delay(left); got != want {
			t.Errorf("Delay(%d) = %s, want %s", left, got, want)
		}
	}
	var sum time.Duration
	for _, d := range jobs.WebhookSchedule {
		sum += d
	}
	if p := jobs.DeliverWebhook.Policy(); p.MaxAttempts != 7 || sum != 20*time.Hour+36*time.Minute {
		t.Errorf("a webhook has %d attempts in %s, want 7 in 20h36m, as documented", p.MaxAttempts, sum)
	}
}

func TestSubmitOnRedis(t *testing.T) {
	t.Parallel()
	ctx, c, account := t.Context(), jobs.Connect(jobstest.Redis(t)), uuid.New()

	ticket, err := jobs.Submit(ctx, c, double, account, doubleArgs{N: 2})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.State(ctx, account, ticket.ID)
	if err != nil || s.Status != models.JobPending || s.Kind != "test:double" {
		t.Errorf("the state of a new job is %+v (error %v), want pending and the kind test:double", s, err)
	}
	for name, call := range map[string]func() error{
		"other account": func() error { _, err := c.State(ctx, uuid.New(), ticket.ID); return err },
		"unknown id":    func() error { _, err := c.State(ctx, account, uuid.NewString()); return err },
	} {
		if err := call(); !errors.Is(err, models.NotFound("job")) {
			t.Errorf("%s: %v, want not_found", name, err)
		}
	}
	if _, err := jobs.AwaitTimeout(ctx, ticket, time.Millisecond); !errors.Is(err, jobs.ErrPending) {
		t.Errorf("waiting for a job without a worker: %v, want ErrPending", err)
	}

	id := uuid.New()
	first, err1 := jobs.Submit(ctx, c, double, account, doubleArgs{N: 2}, jobs.WithID(id))
	again, err2 := jobs.Submit(ctx, c, double, account, doubleArgs{N: 2}, jobs.WithID(id))
	if err1 != nil || err2 != nil || first.ID != again.ID {
		t.Errorf("submitting the same id twice gives the jobs %v and %v, and the errors %v and %v", first.ID, again.ID, err1, err2)
	}
}

func TestLostRows(t *testing.T) {
	t.Parallel()
	ctx, r := t.Context(), jobstest.Redis(t)
	c, row := jobs.Connect(r), models.JobRef{Kind: "test:rowed", ID: uuid.New()}
	lost := func() bool {
		t.Helper()
		lostRows, err := c.LostRows(ctx, row)
		if err != nil {
			t.Fatal(err)
		}
		return len(lostRows) == 1
	}
	if !lost() {
		t.Error("a row that was never enqueued is not lost")
	}
	c.DispatchFor(ctx, uuid.Nil, row.Kind, row.ID)
	c.DispatchFor(ctx, uuid.Nil, row.Kind, row.ID)
	if lost() {
		t.Error("an enqueued row is lost")
	}
	if err := r.FlushAll(ctx).Err(); err != nil {
		t.Fatal(err)
	}
	if !lost() {
		t.Error("the row is not lost after Redis was emptied")
	}
	c.DispatchFor(ctx, uuid.Nil, row.Kind, row.ID)
	if lost() {
		t.Error("the row is lost although it was enqueued after FLUSHALL")
	}
}

func TestCheckRedis(t *testing.T) {
	t.Parallel()
	ctx, r := t.Context(), jobstest.Redis(t)
	for _, c := range []struct {
		memory, policy string
		want           error
	}{
		{"0", "allkeys-lru", nil},
		{"100mb", "allkeys-lru", jobs.ErrEvicts},
		{"100mb", "noeviction", nil},
		{"1kb", "noeviction", jobs.ErrFull},
	} {
		if err := r.ConfigSet(ctx, "maxmemory", c.memory).Err(); err != nil {
			t.Fatal(err)
		}
		if err := r.ConfigSet(ctx, "maxmemory-policy", c.policy).Err(); err != nil {
			t.Fatal(err)
		}
		if err := jobs.CheckRedis(ctx, r); !errors.Is(err, c.want) {
			t.Errorf("%s with %s: %v, want %v", c.policy, c.memory, err, c.want)
		}
	}
}

func TestSubmitWhileRedisIsAway(t *testing.T) {
	t.Parallel()
	r, c := jobstest.New()
	r.Break(errors.New("connection refused"))
	_, err := jobs.Submit(t.Context(), c, double, uuid.New(), doubleArgs{})
	if e, ok := models.AsError(err); !ok || e.Kind != models.KindUnavailable {
		t.Errorf("error = %v, want unavailable", err)
	}
	c.DispatchFor(t.Context(), uuid.Nil, "test:rowed", uuid.New()) // a failure is only logged
}

func TestRecorderAnswers(t *testing.T) {
	t.Parallel()
	r, c := jobstest.New()
	jobstest.Answer(r, double, func(_ uuid.UUID, a doubleArgs) (int, error) {
		if a.N < 0 {
			return 0, models.Invalid("too_small", "n is negative")
		}
		return 2 * a.N, nil
	})
	for n, code := range map[int]string{21: "", -1: "too_small"} {
		ticket, err := jobs.Submit(t.Context(), c, double, uuid.New(), doubleArgs{N: n})
		if err != nil {
			t.Fatal(err)
		}
		got, err := jobs.Await(t.Context(), ticket)
		if e, ok := models.AsError(err); ok && e.Code != code || !ok && got != 2*n {
			t.Errorf("double(%d) = %d, %v, want %d, or the error code %q if this is not empty", n, got, err, 2*n, code)
		}
	}
}
