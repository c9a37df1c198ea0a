package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/google/uuid"

	"switchyard/api/routing"
	"switchyard/db"
	"switchyard/db/click"
	"switchyard/db/report"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/ops/logs"
	"switchyard/ops/monitor"
	"switchyard/workers"
	"switchyard/workers/clock"
	"switchyard/workers/flowreplay"
)

// workerCmd carries out jobs.
type workerCmd struct {
	Queues string `help:"Queues to serve with their weights, such as interactive=6,webhooks=4; empty: all." default:""`
	Slots  int    `help:"Number of jobs that run at once per unit of weight." default:"10"`
	Nice   int    `help:"Niceness, from 0 to 19: how much this process gives way to other processes on the machine, such as web." default:"5"`
	figuresFlag
}

// Run implements the command.
func (c *workerCmd) Run(ctx context.Context, e *env) error {
	queues, err := jobs.ParseQueues(c.Queues)
	if err != nil {
		return usageError{err}
	}
	if c.Slots < 1 {
		return usageError{errors.New("--slots must be 1 or more")}
	}
	if c.Nice < 0 || c.Nice > 19 {
		return usageError{errors.New("--nice must be from 0 to 19")}
	}
	if err := setNice(c.Nice); err != nil {
		slog.WarnContext(ctx, "the worker does not give way to other processes", "error", err)
	}
	return withServers(ctx, e, "worker", workerPools, func(cfg config.Config, p pools, r jobs.Redis) error {
		registry := p.registry()
		o := workers.Options{
			DB: p.of(workPool), Redis: r, Client: jobs.Connect(r), Queues: queues, Slots: c.Slots, Metrics: registry,
		}
		return c.serveWhile(ctx, cfg, p, p.of(workPool), r, registry, func(ctx context.Context) error {
			return runWorker(ctx, cfg, p, o)
		})
	})
}

// runWorker carries out jobs until the context ends.
func runWorker(ctx context.Context, cfg config.Config, p pools, o workers.Options) error {
	r, err := NewRuntime(cfg, Readers{Bulk: p.of(bulkPool), Locks: p.of(lockPool), copied: p.copied}, o)
	if err != nil {
		return err
	}
	o.Metrics.MustRegister(monitor.APIVersions(apiVersions(cfg), time.Now))
	return p.work(ctx, cfg, r, o)
}

// Readers has further database connections of a runtime: Bulk for long reads, and Locks for locks that only one process may hold.
type Readers struct {
	Bulk, Locks *db.DB
	copied      *click.CopyReader // nil: PostgreSQL has all clicks
}

// clicks returns a reader of clicks in d and in ClickHouse.
func (r Readers) clicks(d *db.DB) click.Log { return click.Log{Conn: d, Copy: r.copied} }

// reports returns a reader of reports on d and ClickHouse.
func (r Readers) reports(d *db.DB) report.Reader { return report.Reader{Conn: d, Copy: r.copied} }

// FlowReplayOptions returns options for the replay of flows, with which a worker makes the same decisions as the redirect.
func FlowReplayOptions(clicks click.Log) flowreplay.Options {
	return flowreplay.Options{
		Clicks: clicks, WentTo: routing.RecordedDestination,
		NewRouter: func(r *store.Routing, campaign uuid.UUID) (flowreplay.Router, error) {
			return routing.NewReplayer(r, campaign)
		},
	}
}

var workerPools = []pool{workPool, bulkPool, lockPool}

// clockCmd starts the jobs of the cron table when they are due.
type clockCmd struct{ figuresFlag }

// Run implements the command.
func (c *clockCmd) Run(ctx context.Context, e *env) error {
	return withServers(ctx, e, "clock", []pool{clockPool}, func(cfg config.Config, p pools, r jobs.Redis) error {
		d := p.of(clockPool)
		if err := jobs.CheckRedis(ctx, r); errors.Is(err, jobs.ErrEvicts) {
			return err
		}
		return c.serveWhile(ctx, cfg, p, d, r, p.registry(), func(ctx context.Context) error {
			return runClock(ctx, d, jobs.Connect(r))
		})
	})
}

// runClock starts the jobs of the cron table until the context ends.
func runClock(ctx context.Context, d *db.DB, client *jobs.Client) error {
	err := clock.Clock{Rows: jobs.Cron, Start: clock.Submit(client)}.Run(ctx, d)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// withServers opens the connections to PostgreSQL and Redis and calls fn. The servers need not answer yet. needed lists the
// pools, the most important first.
func withServers(ctx context.Context, e *env, name string, needed []pool,
	fn func(config.Config, pools, jobs.Redis) error,
) (err error) {
	cfg, err := e.config()
	if err != nil {
		return err
	}
	if cfg.DatabaseURL == "" || cfg.RedisURL == "" {
		return errors.New("DATABASE_URL and REDIS_URL must be set; `switchyard up` runs everything on private servers")
	}
	slog.SetDefault(logs.New(e.stderr, cfg.LogLevel))
	limitMemory()
	defer limitStop(ctx, stopLimit, func() { os.Exit(1) })()
	p, err := openPools(cfg, name, needed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	r, err := jobs.OpenRedis(cfg.RedisURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	p.detectMissingCopy(ctx, p.of(needed[0]))
	go warnBehind(ctx, p.of(needed[0])) // the start does not wait, because redirects need no PostgreSQL
	return fn(cfg, p, r)
}

// stopLimit is how long a process may take to stop. It is a little more than the sum of all timeouts of a stop.
const stopLimit = 24500 * time.Millisecond

// limitStop calls the function end when a stop takes longer than the limit. A stop can hang in the PostgreSQL driver, which waits
// even after the context has ended. Acknowledged data survives, as it survives kill -9. The caller must call the returned
// function at the end of the stop.
func limitStop(ctx context.Context, limit time.Duration, end func()) (ended func()) {
	stopped, ended := context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() {
		select {
		case <-stopped.Done():
		case <-time.After(limit):
			slog.ErrorContext(ctx, "the stop takes too long, so the process ends now")
			end()
		}
	})
	return ended
}

// warnBehind logs an error if the database lacks migrations. It waits at most two seconds.
func warnBehind(ctx context.Context, d *db.DB) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := checkSchema(ctx, d); errors.Is(err, errBehind) {
		slog.ErrorContext(ctx, "schema not up to date", "error", err)
	}
}
