package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"switchyard/db"
	"switchyard/jobs"
	"switchyard/ops/config"
	"switchyard/ops/devstack"
	"switchyard/ops/queue"
)

// jobsCmd lists jobs and runs failed ones again.
type jobsCmd struct {
	List    jobsList    `cmd:"" help:"List jobs. Those with rows in PostgreSQL come first, the newest first."`
	Requeue jobsRequeue `cmd:"" help:"Run failed or waiting jobs again now; always safe."`
}

type jobsChoice struct {
	Queue string `help:"Only this queue." default:""`
	Kind  string `help:"Only this kind, such as webhook:deliver." default:""`
}

// check refuses unknown queues and kinds, because they would look like empty queues.
func (c jobsChoice) check() error {
	for _, n := range []struct {
		what, given string
		known       []string
	}{{"queue", c.Queue, jobs.QueueNames()}, {"kind", c.Kind, jobs.Kinds()}} {
		if n.given != "" && !slices.Contains(n.known, n.given) {
			return usageError{fmt.Errorf("there is no %s %q; use one of %s", n.what, n.given, strings.Join(n.known, ", "))}
		}
	}
	return nil
}

type jobsList struct {
	jobsChoice
	State string `help:"archived (failed), retry, pending, active, scheduled or completed." default:""`
	Limit int    `help:"Maximum number of jobs to list." default:"1000"`
	JSON  bool   `help:"Print one JSON value."`
}

// Run implements the command.
func (c *jobsList) Run(ctx context.Context, e *env) error {
	if c.State != "" && !slices.Contains(queue.States, c.State) {
		return usageError{fmt.Errorf("%q is not a state; use one of %s", c.State, strings.Join(queue.States, ", "))}
	}
	if c.Limit < 1 {
		return usageError{errors.New("--limit must be 1 or more")}
	}
	if err := c.check(); err != nil {
		return err
	}
	return withInspector(ctx, e, func(d queue.Inspector) error {
		items, more, err := d.List(ctx, queue.Filter{Queue: c.Queue, State: c.State, Kind: c.Kind, Limit: c.Limit})
		if err != nil {
			return err
		}
		if more > 0 { // with --json, standard output has one JSON value
			_, _ = fmt.Fprintf(e.stderr, "%d older jobs are left out: --limit shows more\n", more)
		}
		rows := tableOf("ID\tQUEUE\tKIND\tSTATE\tATTEMPTS\tNEXT\tERROR", items, func(i queue.Item) []string {
			next := ""
			if i.NextAt != nil {
				next = i.NextAt.UTC().Format(time.RFC3339)
			}
			return []string{
				i.ID, i.Queue, i.Kind, i.State,
				fmt.Sprintf("%d/%d", i.Attempts, i.MaxAttempts), dash(next), dash(strings.ReplaceAll(i.Error, "\n", " ")),
			}
		})
		return e.print(c.JSON, items, rows...)
	})
}

type jobsRequeue struct {
	IDs  []string `arg:"" optional:"" name:"id" help:"Ids as printed by jobs list or shown on the queues' page."`
	All  bool     `help:"Run every failed job again, or every failed job of --queue and --kind."`
	JSON bool     `help:"Print one JSON value."`
	jobsChoice
}

// Run implements the command. If a named job cannot be run again, the others still are, and the command returns an error.
func (c *jobsRequeue) Run(ctx context.Context, e *env) error {
	if c.All == (len(c.IDs) > 0) {
		return usageError{errors.New("give ids, or --all")}
	}
	if !c.All && (c.Queue != "" || c.Kind != "") {
		return usageError{errors.New("--queue and --kind can only be used with --all")}
	}
	if err := c.check(); err != nil {
		return err
	}
	return withInspector(ctx, e, func(d queue.Inspector) error {
		var done []string
		var err error
		if c.All {
			done, err = d.RequeueAll(ctx, c.Queue, c.Kind)
		} else {
			done, err = d.Requeue(ctx, c.IDs...)
		}
		if err != nil {
			return err
		}
		if err := e.print(c.JSON, map[string]any{"requeued": done}, fmt.Sprintf("%d jobs requeued", len(done))); err != nil {
			return err
		}
		left := slices.DeleteFunc(slices.Clone(c.IDs), func(id string) bool { return slices.Contains(done, id) })
		if len(left) > 0 {
			return fmt.Errorf("nothing to run for %s: unknown, done, or being done; `switchyard jobs list` shows ids and states",
				strings.Join(left, ", "))
		}
		return nil
	})
}

// withInspector calls fn with an inspector of the queues.
func withInspector(ctx context.Context, e *env, fn func(queue.Inspector) error) error {
	return withQueue(ctx, e, func(_ config.Config, d *db.DB, r jobs.Redis) error {
		return fn(queue.Inspector{DB: d, Redis: r, Client: jobs.Connect(r)})
	})
}

// withQueue calls fn with the settings, PostgreSQL and Redis. If the settings name no Redis, fn gets the private one.
func withQueue(ctx context.Context, e *env, fn func(config.Config, *db.DB, jobs.Redis) error) error {
	return withDatabase(ctx, e, func(cfg config.Config, d *db.DB) error {
		if cfg.RedisURL == "" {
			servers, release, err := devstack.Use(ctx, devstack.Options{
				DataDir: cfg.DataDir, NoPostgres: true, Existing: true, Out: e.stderr,
			})
			if err != nil {
				return fmt.Errorf("REDIS_URL is not set: set it to the service's REDIS_URL (%w)", err)
			}
			defer release(context.WithoutCancel(ctx)) //nolint:errcheck // the answer has been printed
			cfg.RedisURL = servers.RedisURL
		}
		r, err := jobs.OpenRedis(cfg.RedisURL)
		if err != nil {
			return err
		}
		defer func() { _ = r.Close() }() // the answer has been printed
		if err := r.Ping(ctx).Err(); err != nil {
			return fmt.Errorf("%w; is Redis running, and REDIS_URL right?", err)
		}
		return fn(cfg, d, r)
	})
}
