package workers_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
	"switchyard/models/await"
	"switchyard/workers"
)

type testArgs struct {
	N int `json:"n"`
}

type reply struct {
	Sum     int       `json:"sum"`
	Account uuid.UUID `json:"account"`
}

var (
	add     = jobs.Define[testArgs, reply]("wtest:add", jobs.Policy{Queue: jobs.Interactive, Timeout: time.Second})
	effect  = jobs.Define[testArgs, int]("wtest:effect", jobs.Policy{Queue: jobs.Webhooks, Retries: []time.Duration{0, 0}, Row: true})
	aside   = jobs.Define[testArgs, int]("wtest:aside", jobs.Policy{Queue: jobs.Bulk, Row: true})
	delayed = jobs.Define[testArgs, int]("wtest:delayed", jobs.Policy{Queue: jobs.Webhooks, Retries: []time.Duration{time.Hour}, Row: true})
)

// jobEnv is a database, a Redis and a runtime on them.
type jobEnv struct {
	t      *testing.T
	db     *db.DB
	redis  jobs.Redis
	client *jobs.Client
	rt     *workers.Runtime
}

func newJobEnv(t *testing.T) *jobEnv {
	t.Helper()
	b := &jobEnv{t: t, db: dbtest.New(t), redis: jobstest.Redis(t)}
	b.client = jobs.Connect(b.redis)
	b.rt = b.runtime()
	dbtest.Exec(t, b.db, `CREATE TABLE effects (job uuid, attempt int)`)
	return b
}

func (b *jobEnv) runtime() *workers.Runtime {
	return b.leasing(time.Second)
}

// leasing makes a runtime whose leases of rows have the given duration.
func (b *jobEnv) leasing(lease time.Duration) *workers.Runtime {
	return workers.New(workers.Options{DB: b.db, Redis: b.redis, Client: b.client, Lease: lease, Grace: 4 * time.Second})
}

// start runs the workers until the test ends or stop is called.
func (b *jobEnv) start(rt *workers.Runtime) (stop func()) {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.t.Context()))
	done := make(chan error, 1)
	go func() { done <- rt.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			b.t.Errorf("run: %v", err)
		}
	})
	b.t.Cleanup(stop)
	return stop
}

// row inserts the row of a job, without dispatching it.
func row[A, R any](b *jobEnv, j jobs.Job[A, R], args A) uuid.UUID {
	b.t.Helper()
	r, err := j.NewRow(uuid.Nil, args)
	if err == nil {
		err = jobrow.Insert(b.t.Context(), b.db, r)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return r.ID
}

func (b *jobEnv) get(id uuid.UUID) models.Job {
	b.t.Helper()
	rows, err := jobrow.List(b.t.Context(), b.db, jobrow.Filter{Limit: 10_000})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, j := range rows {
		if j.ID == id {
			return j
		}
	}
	b.t.Fatalf("no row %s", id)
	return models.Job{}
}

func (b *jobEnv) state(id uuid.UUID, want string) {
	b.t.Helper()
	await.Until(b.t, fmt.Sprintf("job is %s", want), func() bool { return b.get(id).State == want })
}

func (b *jobEnv) effects() map[uuid.UUID]int {
	b.t.Helper()
	var rows []struct {
		Job uuid.UUID `db:"job"`
		N   int       `db:"n"`
	}
	if err := b.db.SelectContext(b.t.Context(), &rows, `SELECT job, count(*) AS n FROM effects GROUP BY job`); err != nil {
		b.t.Fatal(err)
	}
	m := map[uuid.UUID]int{}
	for _, r := range rows {
		m[r.Job] = r.N
	}
	return m
}

func countEffect(ctx context.Context, u *workers.Run[testArgs, int]) error {
	return u.Commit(ctx, 2*u.Args.N, func(c db.Conn) error {
		_, err := c.ExecContext(ctx, `INSERT INTO effects VALUES ($1, $2)`, u.Job.ID, u.Attempt)
		return err
	})
}
