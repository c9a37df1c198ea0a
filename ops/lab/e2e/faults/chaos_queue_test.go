package faults

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/db"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs"
	"switchyard/models/await"
	"switchyard/models/longtest"
	"switchyard/models/parttest"
	"switchyard/ops/client"
	"switchyard/ops/lab/e2e"
	"switchyard/ops/lab/e2e/faultworker"
	"switchyard/ops/lab/fleet"
	"switchyard/ops/queue"
)

// env is a fleet whose workers carry out the tests' jobs. The test inserts the row of a job and a row of fault_causes in one
// transaction, and dispatches the job afterwards, as the service does.
type env struct {
	*fleet.Fleet
	t      *testing.T
	db     *db.DB
	redis  jobs.Redis
	client *jobs.Client
	lease  time.Duration
}

func newEnv(t *testing.T, settings ...string) *env {
	t.Helper()
	y := &env{Fleet: e2e.StartFleet(t, fleet.Options{Binary: e2e.OwnBinary(t), Env: settings}), t: t, lease: longtest.Size(4*time.Second, 15*time.Second)}
	var err error
	if y.db, err = db.Open(t.Context(), y.DatabaseURL, db.Options{Name: "faults"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.db.Close() })
	if y.redis, err = jobs.OpenRedis(y.RedisURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.redis.Close() })
	y.client = jobs.Connect(y.redis)
	dbtest.Exec(y.t, y.db, faultworker.Tables)
	return y
}

func (y *env) until(what string, ok func() bool) {
	y.t.Helper()
	ctx, cancel := context.WithTimeout(y.t.Context(), longtest.Size(await.Timeout, 10*time.Minute))
	defer cancel()
	if err := client.Poll(ctx, 50*time.Millisecond, func() (bool, error) { return ok(), nil }); err != nil {
		y.t.Fatalf("never: %s", what)
	}
}

func (y *env) worker(args ...string) *fleet.Process {
	y.t.Helper()
	args = append([]string{"--lease", y.lease.String(), "--grace", longtest.Size("6s", "22s")}, args...)
	p, err := y.Spawn("faultworker", args...)
	if err != nil {
		y.t.Fatal(err)
	}
	return p
}

func (y *env) clock() *fleet.Process {
	y.t.Helper()
	p, err := y.Spawn("clock")
	if err != nil {
		y.t.Fatal(err)
	}
	return p
}

// write inserts n causes with their job rows in one transaction, and returns the ids of the rows. If the parameter last is
// an error, the transaction is rolled back.
func (y *env) write(batch string, n int, job jobs.Job[faultworker.Args, jobs.None], args faultworker.Args, last error) []uuid.UUID {
	y.t.Helper()
	ids := make([]uuid.UUID, n)
	err := db.Tx(y.t.Context(), y.db, func(c db.Conn) error {
		for i := range ids {
			row, err := job.NewRow(uuid.Nil, args)
			if err != nil {
				return err
			}
			ids[i] = row.ID
			if err := jobrow.Insert(y.t.Context(), c, row); err != nil {
				return err
			}
			if _, err := c.ExecContext(y.t.Context(), `INSERT INTO fault_causes VALUES ($1, $2)`, row.ID, batch); err != nil {
				return err
			}
		}
		return last
	})
	if err != last { //nolint:errorlint // exactly this error
		y.t.Fatal(err)
	}
	return ids
}

func (y *env) submit(batch string, n int, args faultworker.Args) {
	y.t.Helper()
	y.client.DispatchFor(y.t.Context(), uuid.Nil, faultworker.Job.Kind(), y.write(batch, n, faultworker.Job, args, nil)...)
}

// missing counts the causes of a batch that have no effect. An empty batch means all batches.
func (y *env) missing(batch string) int {
	y.t.Helper()
	return dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM fault_causes c WHERE ($1 = '' OR batch = $1)
		AND NOT EXISTS (SELECT FROM fault_effects e WHERE e.job = c.job)`, batch)
}

// doubled counts the jobs with more than one effect.
func (y *env) doubled() int {
	y.t.Helper()
	return dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM (SELECT FROM fault_effects GROUP BY job HAVING count(*) > 1) d`)
}

// phantoms counts the effects without a cause.
func (y *env) phantoms() int {
	y.t.Helper()
	return dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM fault_effects e WHERE NOT EXISTS (SELECT FROM fault_causes c WHERE c.job = e.job)`)
}

// begun returns how many jobs of a batch a process has started.
func (y *env) begun(batch string, pid int) int {
	y.t.Helper()
	return dbtest.Get[int](y.t, y.db, `SELECT count(DISTINCT s.job) FROM fault_starts s JOIN fault_causes c USING (job)
		WHERE c.batch = $1 AND s.pid = $2`, batch, pid)
}

// complete waits until every job of a batch has its effect. It fails the test if an effect is doubled or has no cause.
func (y *env) complete(batch string) {
	y.t.Helper()
	begin := time.Now()
	y.until("all of "+batch+" done", func() bool { return y.missing(batch) == 0 })
	y.t.Logf("%s: complete %s after the fault", batch, time.Since(begin).Round(time.Millisecond))
	if d, p := y.doubled(), y.phantoms(); d+p > 0 {
		y.t.Errorf("%s: %d effects doubled, %d without a cause", batch, d, p)
	}
}

// TestQueueFaults breaks the queue in one way after another. No effect is lost. Effects are doubled only while the fence is off.
func TestQueueFaults(t *testing.T) {
	parttest.Faults.Only(t)
	t.Parallel()
	y := newEnv(t)
	steady := y.worker()
	for _, phase := range []struct {
		name string
		run  func(*env, *fleet.Process)
	}{
		{"rows rolled back or never dispatched, without the reconciler", (*env).phantom},
		{"killed worker", (*env).killed},
		{"emptied Redis", (*env).emptied},
		{"Redis away", (*env).away},
		{"frozen worker, with and without the fence", (*env).frozen},
		{"stopped worker", (*env).stopped},
		{"jobs that fail permanently", (*env).poison},
	} {
		begin := time.Now()
		phase.run(y, steady)
		t.Logf("%s: %s", phase.name, time.Since(begin).Round(time.Millisecond))
		if t.Failed() {
			return
		}
	}
}

// phantom dispatches tasks whose rows were rolled back, and leaves other rows undispatched. Without a clock no process finds the
// undispatched rows, as in a build without the reconciler.
func (y *env) phantom(*fleet.Process) {
	n := longtest.Size(60, 1000)
	rollback := context.Canceled
	for range n / 20 {
		y.client.DispatchFor(y.t.Context(), uuid.Nil, faultworker.Job.Kind(), y.write("rolled back", 20, faultworker.Job, faultworker.Args{}, rollback)...)
	}
	y.submit("marker", 20, faultworker.Args{})
	y.complete("marker") // the worker runs, and its only search for lost rows, at its start, is over
	for range n / 20 {
		y.write("undispatched", 20, faultworker.Job, faultworker.Args{}, nil)
	}
	y.submit("marker", 20, faultworker.Args{})
	y.complete("marker")
	if got := y.missing("undispatched"); got != n/20*20 {
		y.t.Errorf("without a clock, %d of %d undispatched jobs have no effect, want all", got, n/20*20)
	}
	y.clock()
	y.complete("undispatched")
}

// killed kills a worker that holds 50 jobs while another worker is alive.
func (y *env) killed(steady *fleet.Process) {
	const held = 50
	// The steady worker is frozen, so that the victim takes all jobs.
	y.check(steady.Freeze())
	victim := y.worker("--slots", "5")
	y.submit("killed", held, faultworker.Args{Hold: true})
	y.until("the worker holds 50 jobs", func() bool { return y.begun("killed", victim.PID()) == held })
	y.check(steady.Thaw())
	victim.Kill()
	begin := time.Now()
	y.complete("killed")
	y.t.Logf("%d jobs of a killed worker redone within %s, with a lease of %s", held, time.Since(begin), y.lease)
	if longtest.On() && time.Since(begin) > 20*time.Second {
		y.t.Errorf("the jobs of the killed worker were redone after %s, want at most 20 s", time.Since(begin))
	}
}

func (y *env) check(err error) {
	y.t.Helper()
	if err != nil {
		y.t.Fatal(err)
	}
}

func (y *env) emptied(*fleet.Process) {
	for _, fault := range []struct {
		name  string
		every int // jobs from one fault to the next
		run   func()
	}{
		{"flushed", longtest.Size(200, 2000), func() { y.check(y.redis.FlushAll(y.t.Context()).Err()) }},
		{"key deleted", longtest.Size(40, 200), y.deleteKey},
		{"replaced", longtest.Size(200, 2000), y.replaceRedis},
	} {
		const step = 20
		tick := time.NewTicker(time.Second * step / 200)
		for n := step; n <= longtest.Size(400, 12_000); n += step {
			y.submit(fault.name, step, faultworker.Args{})
			if n%fault.every == 0 {
				fault.run()
			}
			<-tick.C
		}
		tick.Stop()
		y.complete(fault.name)
	}
}

func (y *env) deleteKey() {
	key, err := y.redis.RandomKey(y.t.Context()).Result()
	if err == nil {
		err = y.redis.Del(y.t.Context(), key).Err()
	} else if strings.Contains(err.Error(), "nil") { // Redis is empty
		err = nil
	}
	y.check(err)
}

// replaceRedis kills Redis and starts an empty one in its place.
func (y *env) replaceRedis() {
	dir, err := y.redis.ConfigGet(y.t.Context(), "dir").Result()
	y.check(err)
	if dir["dir"] == "" || dir["dir"] == "/" {
		y.t.Fatalf("Redis has no directory of its own: %v", dir)
	}
	y.killRedis()
	y.check(os.RemoveAll(filepath.Join(dir["dir"], "appendonlydir")))
	y.check(y.StartServers(y.t.Context()))
}

func (y *env) killRedis() {
	server, err := y.Redis(y.t.Context())
	y.check(err)
	y.check(server.Kill(y.t.Context()))
}

// away kills Redis while long jobs run, submits other jobs, and starts Redis again.
func (y *env) away(*fleet.Process) {
	n := longtest.Size(10, 50)
	y.submit("running meanwhile", n, faultworker.Args{Gate: "redis away"})
	y.until("long jobs run", func() bool {
		return dbtest.Get[int](y.t, y.db, `SELECT count(DISTINCT job) FROM fault_starts JOIN fault_causes USING (job) WHERE batch = 'running meanwhile'`) == n
	})
	y.killRedis()
	outage := time.NewTimer(longtest.Size(2*y.lease, time.Minute)) // in the long form of the test, the outage is longer than the queue's own leases
	for range 5 {
		y.submit("submitted meanwhile", 10, faultworker.Args{})
	}
	<-outage.C
	dbtest.Exec(y.t, y.db, `INSERT INTO fault_gates VALUES ('redis away')`)
	y.check(y.StartServers(y.t.Context()))
	y.complete("running meanwhile")
	y.complete("submitted meanwhile")
}

// frozen freezes a worker, lets another worker finish the jobs of the frozen one, and then thaws the frozen worker. The fence
// rejects the effects that the thawed worker tries to commit. With the fence off, each effect is doubled.
func (y *env) frozen(steady *fleet.Process) {
	for _, c := range []struct {
		batch string
		args  []string
		want  int // jobs with more than one effect
	}{{"frozen", nil, 0}, {"fence off", []string{"--break", faultworker.BreakFence}, 5}} {
		y.check(steady.Freeze())
		victim := y.worker(c.args...)
		y.submit(c.batch, 5, faultworker.Args{Gate: c.batch})
		y.until("the worker holds the jobs", func() bool { return y.begun(c.batch, victim.PID()) == 5 })
		y.check(victim.Freeze())
		y.check(steady.Thaw())
		y.until("the other worker has taken over the jobs", func() bool { return y.begun(c.batch, steady.PID()) == 5 })
		dbtest.Exec(y.t, y.db, `INSERT INTO fault_gates VALUES ($1)`, c.batch)
		y.until("the other worker has finished the jobs", func() bool { return y.missing(c.batch) == 0 })
		y.check(victim.Thaw())
		y.until("the frozen worker has ended its attempts", func() bool {
			return dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM fault_starts WHERE pid = $1 AND ended IS NULL`, victim.PID()) == 0
		})
		if got := y.doubled(); got != c.want {
			y.t.Errorf("%s: %d effects doubled, want %d", c.batch, got, c.want)
		}
		victim.Kill()
	}
	dbtest.Exec(y.t, y.db, `DELETE FROM fault_effects WHERE job IN (SELECT job FROM fault_causes WHERE batch = 'fence off')`)
	dbtest.Exec(y.t, y.db, `DELETE FROM fault_causes WHERE batch = 'fence off'`)
}

// stopped asks a worker with long jobs to end. No job runs in two places at the same time.
func (y *env) stopped(steady *fleet.Process) {
	const held = 20
	y.check(steady.Freeze())
	victim := y.worker()
	y.submit("stopped", held, faultworker.Args{Hold: true})
	y.until("the worker holds the jobs", func() bool { return y.begun("stopped", victim.PID()) == held })
	y.check(steady.Thaw())
	ctx, cancel := context.WithTimeout(y.t.Context(), await.Timeout)
	defer cancel()
	begin := time.Now()
	y.check(victim.Terminate(ctx))
	y.t.Logf("the worker ended after %s", time.Since(begin).Round(time.Millisecond))
	y.complete("stopped")
	const overlaps = `SELECT count(*) FROM fault_starts a JOIN fault_starts b ON a.job = b.job AND a.id < b.id
		JOIN fault_causes c ON c.job = a.job WHERE c.batch = 'stopped' AND (a.ended IS NULL OR b.began < a.ended)`
	if n := dbtest.Get[int](y.t, y.db, overlaps); n > 0 {
		y.t.Errorf("%d jobs ran in two workers at the same time", n)
	}
	if longtest.On() && time.Since(begin) > 60*time.Second {
		y.t.Errorf("the jobs of the stopped worker were redone after %s, want at most 60 s", time.Since(begin))
	}
}

// poison makes many jobs fail permanently. All are kept, at most 1,000 are listed, and all run when they are requeued by hand.
func (y *env) poison(*fleet.Process) {
	n := longtest.Size(300, 50_000)
	for range n / 100 {
		ids := y.write("poison", 100, faultworker.Poison, faultworker.Args{Poison: "mended"}, nil)
		y.client.DispatchFor(y.t.Context(), uuid.Nil, faultworker.Poison.Kind(), ids...)
	}
	failed := func() int {
		return dbtest.Get[int](y.t, y.db, `SELECT count(*) FROM jobs WHERE kind = $1 AND state = 'failed'`, faultworker.Poison.Kind())
	}
	y.until("all jobs have failed", func() bool { return failed() == n })
	if _, err := jobrow.DeleteFinished(y.t.Context(), y.db, time.Now().Add(-jobrow.Retention)); err != nil {
		y.t.Fatal(err)
	}
	if got := failed(); got != n {
		y.t.Errorf("only %d of %d failed jobs are kept", got, n)
	}
	var shown []queue.Item
	y.check(y.Command(y.t.Context(), &shown, "jobs", "list", "--state", "archived", "--kind", faultworker.Poison.Kind()))
	if len(shown) != min(n, 1000) {
		y.t.Errorf("%d of %d failed jobs are listed, want all of them, or 1000 if there are more", len(shown), n)
	}
	dbtest.Exec(y.t, y.db, `INSERT INTO fault_gates VALUES ('mended')`)
	var done struct{ Requeued []string }
	y.check(y.Command(y.t.Context(), &done, "jobs", "requeue", "--all", "--kind", faultworker.Poison.Kind()))
	if len(done.Requeued) != n {
		y.t.Errorf("only %d of %d failed jobs were requeued", len(done.Requeued), n)
	}
	y.complete("poison")
	y.t.Logf("%d jobs failed, were kept, and succeeded after they were requeued", n)
}
