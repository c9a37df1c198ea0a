// Package faultworker has the jobs that the tests of faults and scale watch, and two processes: a worker, which runs the jobs, and
// a clock, which ticks every second. Both can be broken on purpose, to show that the tests notice the fault.
package faultworker

import (
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/google/uuid"

	"switchyard/cmd/switchyard/cli"
	"switchyard/db"
	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/ops/logs"
	"switchyard/workers"
	"switchyard/workers/clock"
)

// The jobs that the tests watch.
var (
	Job = jobs.Define[Args, jobs.None]("fault:effect", jobs.Policy{
		Queue: jobs.Webhooks, Retries: []time.Duration{time.Second}, MaxAttempts: 100, Timeout: 5 * time.Minute, Row: true,
	})
	Poison = jobs.Define[Args, jobs.None]("fault:poison", jobs.Policy{
		Queue: jobs.Webhooks, Retries: []time.Duration{0}, Row: true,
	})
	Tick = jobs.Define[jobs.Tick, jobs.None]("fault:tick", jobs.Policy{Queue: jobs.Maintenance})
	Slow = jobs.Define[jobs.Tick, jobs.None]("fault:slow", jobs.Policy{Queue: jobs.Maintenance})
)

// Args tell a job what to do before it writes its effect, a row in a table.
type Args struct {
	// Hold makes the first run of the job wait until its context ends. This run has no effect.
	Hold bool `json:"hold,omitempty"`
	// Gate is the name of a gate. The job waits until this name is in fault_gates, even if its context is cancelled.
	Gate string `json:"gate,omitempty"`
	// Poison is the name of a gate. The job fails until this name is in fault_gates.
	Poison string `json:"poison,omitempty"`
}

// Tables are created next to the service's own tables. They hold the jobs with their starts and effects, the open gates, and the
// ticks.
const Tables = `
CREATE TABLE fault_causes (job uuid PRIMARY KEY, batch text NOT NULL);
CREATE TABLE fault_starts (id bigserial, job uuid NOT NULL, pid int NOT NULL,
    began timestamptz NOT NULL DEFAULT clock_timestamp(), ended timestamptz);
CREATE TABLE fault_effects (job uuid NOT NULL, pid int NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE TABLE fault_gates (name text PRIMARY KEY);
CREATE TABLE fault_fired (kind text NOT NULL, at timestamptz NOT NULL, pid int NOT NULL, id bigserial,
    queued boolean NOT NULL DEFAULT false);
CREATE TABLE fault_ticks (kind text NOT NULL, at timestamptz NOT NULL);
CREATE INDEX ON fault_starts (job);
CREATE INDEX ON fault_effects (job)`

// Ways to break a process on purpose.
const (
	BreakFence = "fence" // faultworker: effects are committed without the fence
	BreakIDs   = "ids"   // faultclock: ticks are submitted without their ids, so a repeated tick is a second job
)

// run is the main function of both processes.
func run(role string, args []string) (err error) {
	flags := flag.NewFlagSet(role, flag.ContinueOnError)
	lease := flags.Duration("lease", 0, "lease of the jobs' rows")
	grace := flags.Duration("grace", 0, "grace period of a stop")
	slots := flags.Int("slots", 10, "jobs at once per unit of weight")
	cron := flags.Bool("cron", false, "the clock fires the service's ticks too")
	broken := flags.String("break", "", "what is broken on purpose")
	if err := flags.Parse(args); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cfg, err := config.Load(os.Getenv)
	if err != nil {
		return err
	}
	slog.SetDefault(logs.New(os.Stderr, cfg.LogLevel))
	f := process{broken: *broken}
	for _, pool := range []struct {
		d      **db.DB
		name   string
		conns  int
		url    string
		pooled bool
	}{
		{&f.db, "work", 10, cfg.DatabaseURL, cfg.DirectURL != ""},
		{&f.bulk, "bulk", 8, cfg.DatabaseURL, cfg.DirectURL != ""},
		{&f.locks, "locks", 3, cfg.SessionURL(), false},
	} {
		o := db.Options{MaxConns: pool.conns, Name: "switchyard-" + role + "-" + pool.name, Pooler: pool.pooled}
		if *pool.d, err = db.OpenLazy(pool.url, o); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, (*pool.d).Close()) }()
	}
	redis, err := jobs.OpenRedis(cfg.RedisURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, redis.Close()) }()
	client := jobs.Connect(redis)
	if role == clockRole {
		return f.clock(ctx, client, *cron)
	}
	return f.worker(ctx, cfg, workers.Options{DB: f.db, Redis: redis, Client: client, Slots: *slots, Lease: *lease, Grace: *grace})
}

const (
	workerRole = "faultworker"
	clockRole  = "faultclock"
)

// Commands are the processes of this package, for e2e.Main.
var Commands = map[string]func(args []string) error{
	workerRole: func(args []string) error { return run(workerRole, args) },
	clockRole:  func(args []string) error { return run(clockRole, args) },
}

type process struct {
	db     *db.DB
	bulk   *db.DB
	locks  *db.DB
	broken string
}

func (f process) worker(ctx context.Context, cfg config.Config, o workers.Options) error {
	r, err := cli.NewRuntime(cfg, cli.Readers{Bulk: f.bulk, Locks: f.locks}, o)
	if err != nil {
		return err
	}
	workers.RegisterRow(r, Job, f.work)
	workers.RegisterRow(r, Poison, f.work)
	for _, j := range []jobs.Job[jobs.Tick, jobs.None]{Tick, Slow} {
		workers.Register(r, j, func(ctx context.Context, tick jobs.Tick) (jobs.None, error) {
			_, err := f.db.ExecContext(ctx, `INSERT INTO fault_ticks VALUES ($1, $2)`, j.Kind(), tick.At)
			return jobs.None{}, err
		})
	}
	return r.Run(ctx)
}

func (f process) work(ctx context.Context, u *workers.Run[Args, jobs.None]) error {
	var start, earlier int64
	const begin = `INSERT INTO fault_starts (job, pid) VALUES ($1, $2)
		RETURNING id, (SELECT count(*) FROM fault_starts WHERE job = $1)`
	// Some tests freeze the process as soon as they see the row of fault_starts. The job may then lose its lease, which cancels ctx
	// but must not cancel the statements on fault_starts.
	kept := context.WithoutCancel(ctx)
	if err := f.db.QueryRowxContext(kept, begin, u.Job.ID, os.Getpid()).Scan(&start, &earlier); err != nil {
		return err
	}
	defer func() {
		_, _ = f.db.ExecContext(kept,
			`UPDATE fault_starts SET ended = clock_timestamp() WHERE id = $1`, start)
	}()
	if u.Args.Hold && earlier == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	if u.Args.Poison != "" {
		if open, err := f.open(u.Args.Poison); err != nil || !open {
			return errors.Join(errors.New("poisoned"), err)
		}
	}
	if u.Args.Gate != "" {
		for tick := time.NewTicker(50 * time.Millisecond); ; <-tick.C {
			if open, err := f.open(u.Args.Gate); err == nil && open {
				break
			}
		}
	}
	return f.commit(ctx, u)
}

func (f process) open(gate string) (open bool, err error) {
	err = f.db.QueryRowxContext(context.Background(), `SELECT count(*) > 0 FROM fault_gates WHERE name = $1`, gate).Scan(&open)
	return open, err
}

func (f process) commit(ctx context.Context, u *workers.Run[Args, jobs.None]) error {
	effect := func(c db.Conn) error {
		_, err := c.ExecContext(context.WithoutCancel(ctx), `INSERT INTO fault_effects (job, pid) VALUES ($1, $2)`,
			u.Job.ID, os.Getpid())
		return err
	}
	if f.broken != BreakFence {
		return u.Commit(ctx, jobs.None{}, effect)
	}
	if err := effect(f.db); err != nil {
		return err
	}
	return u.Commit(ctx, jobs.None{}, nil)
}

// clock fires one tick every second, another every minute and, if cron is true, the service's ticks.
func (f process) clock(ctx context.Context, client *jobs.Client, cron bool) error {
	submit := clock.Submit(client)
	start := func(ctx context.Context, row jobs.CronRow, at time.Time, keep time.Duration) error {
		var id int64
		err := f.db.QueryRowxContext(ctx, `INSERT INTO fault_fired (kind, at, pid) VALUES ($1, $2, $3) RETURNING id`,
			row.Job.Kind(), at, os.Getpid()).Scan(&id)
		if err != nil {
			return err
		}
		if f.broken == BreakIDs {
			_, err := jobs.Submit(ctx, client, row.Job, uuid.Nil, jobs.Tick{At: at})
			return err
		}
		if err := submit(ctx, row, at, keep); err != nil {
			return err
		}
		_, err = f.db.ExecContext(ctx, `UPDATE fault_fired SET queued = true WHERE id = $1`, id)
		return err
	}
	rows := []jobs.CronRow{
		{Name: "every second", Spec: "* * * * * *", Job: Tick}, {Name: "every minute", Spec: "* * * * *", Job: Slow},
	}
	if cron {
		rows = append(rows, jobs.Cron...)
	}
	err := clock.Clock{Rows: rows, Start: start}.Run(ctx, f.locks)
	if ctx.Err() != nil {
		return nil
	}
	return err
}
