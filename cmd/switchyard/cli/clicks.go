package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"switchyard/db"
	"switchyard/db/click"
	dbclickcopy "switchyard/db/clickcopy"
	"switchyard/db/clickhouse"
	"switchyard/ops/config"
	"switchyard/ops/monitor"
	"switchyard/workers"
	"switchyard/workers/clickcopy"
)

// openClicks opens ClickHouse without connecting, or returns nil without CLICKS_URL.
func openClicks(cfg config.Config) (*clickhouse.Conn, error) {
	if cfg.ClicksURL == "" {
		return nil, nil //nolint:nilnil // no ClickHouse
	}
	return clickhouse.Open(cfg.ClicksURL, cfg.ClicksCluster)
}

func copyOf(cfg config.Config, d *db.DB, to *clickhouse.Conn) dbclickcopy.Copy {
	return dbclickcopy.Copy{From: d, To: to, Batch: cfg.ClicksBatch}
}

// ensureClicks creates the tables in ClickHouse. It only logs a warning if ClickHouse does not answer.
func ensureClicks(ctx context.Context, cfg config.Config, d *db.DB, to *clickhouse.Conn) {
	if to == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ensureTimeout)
	defer cancel()
	if err := copyOf(cfg, d, to).Ensure(ctx); err != nil {
		slog.WarnContext(ctx, "tables in ClickHouse not created: run `switchyard migrate` when ClickHouse answers", "error", err)
	}
}

// ensureTimeout limits how long a starting process waits for ClickHouse.
const ensureTimeout = 10 * time.Second

// work carries out jobs, and forwards changes of clicks to ClickHouse if it is in use. It returns when the context ends or one of
// the two fails.
func (p pools) work(ctx context.Context, cfg config.Config, r *workers.Runtime, o workers.Options) error {
	if p.clicks == nil {
		return r.Run(ctx)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return r.Run(ctx) })
	g.Go(func() error {
		f := clickcopy.Forwarder{Copy: copyOf(cfg, o.DB, p.clicks), Locks: p.of(lockPool), Flush: cfg.ClicksFlush, Days: cfg.ClicksDays, Metrics: o.Metrics}
		return f.Run(ctx)
	})
	return g.Wait()
}

// clicksCheck returns a health check of ClickHouse. It is optional, because clicks are stored and most reports are answered without
// ClickHouse.
func (p pools) clicksCheck() []monitor.Check {
	if p.clicks == nil {
		return nil
	}
	return []monitor.Check{{
		Name: "clickhouse", Optional: true, Run: p.clicks.Ping,
		Advice: "clicks are stored and most reports are answered without ClickHouse; see ops/runbooks/clickhouse.md",
	}}
}

type clicksCmd struct {
	Move   clicksMove   `cmd:"" help:"Copy all clicks to ClickHouse and keep the copy up to date, or go back to PostgreSQL alone."`
	Audit  clicksAudit  `cmd:"" help:"Compare PostgreSQL's ledger with ClickHouse's clicks."`
	Status clicksStatus `cmd:"" help:"Show the progress of the copy."`
}

// withCopy calls fn with the copy of clicks in ClickHouse. It fails if CLICKS_URL is not set or ClickHouse does not answer.
func withCopy(ctx context.Context, e *env, fn func(dbclickcopy.Copy) error) error {
	return withDatabase(ctx, e, func(cfg config.Config, d *db.DB) (err error) {
		to, err := openClicks(cfg)
		if err != nil {
			return err
		}
		if to == nil {
			return errors.New("CLICKS_URL is not set: clicks are in PostgreSQL alone")
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		if err := to.Ping(ctx); err != nil {
			return err
		}
		return fn(copyOf(cfg, d, to))
	})
}

type clicksMove struct {
	To string `help:"clickhouse, or postgres." enum:"clickhouse,postgres" required:""`
}

// Help implements kong.HelpProvider.
func (c *clicksMove) Help() string {
	return `With --to clickhouse, the command creates the tables in ClickHouse, makes the database record changes of clicks from now on,
and copies the clicks day by day, the newest day first. If the command is interrupted, run it again, and it continues where
it stopped. Workers with CLICKS_URL copy the recorded changes.

With --to postgres, the command brings back the clicks that only ClickHouse has, and changes are no longer recorded. Remove
CLICKS_URL from all processes afterwards.`
}

// Run implements the command.
func (c *clicksMove) Run(ctx context.Context, e *env) error {
	return withCopy(ctx, e, func(k dbclickcopy.Copy) error {
		if c.To == "postgres" {
			err := k.Return(ctx, func(day time.Time) { e.logf("%s is back", day.Format(time.DateOnly)) })
			if err != nil {
				return err
			}
			e.logf("clicks are in PostgreSQL alone: remove CLICKS_URL from the settings of all processes")
			return nil
		}
		if err := k.Begin(ctx); err != nil {
			return err
		}
		var total int64
		err := k.Fill(ctx, func(day time.Time, clicks int64) {
			total += clicks
			if clicks > 0 {
				e.logf("%s: %d clicks, %d in all", day.Format(time.DateOnly), clicks, total)
			}
		})
		if err == nil {
			e.logf("the copy has every day; `switchyard clicks audit` compares it")
		}
		return err
	})
}

type clicksAudit struct {
	Days   int  `help:"Number of days to compare, ending today." default:"7"`
	Repair bool `help:"Copy again the clicks that differ."`
	JSON   bool `help:"Print one JSON value."`
}

type auditSum struct {
	Days        int      `json:"days"`
	Accounts    int      `json:"accounts"`    // added up over the days
	Busy        int      `json:"busy"`        // accounts that keep changing and were not compared
	Differences int      `json:"differences"` // keys of the ledger that differ
	Examples    []string `json:"examples"`
}

const maxExamples = 20

// errDiffers is the error of an audit that found differences and did not repair them.
var errDiffers = errors.New("ClickHouse's clicks differ from the ledger: `switchyard clicks audit --repair` copies them again")

// Run implements the command.
func (c *clicksAudit) Run(ctx context.Context, e *env) error {
	if c.Days < 1 {
		return usageError{errors.New("--days must be 1 or more")}
	}
	return withCopy(ctx, e, func(k dbclickcopy.Copy) error {
		sum := auditSum{Days: c.Days, Examples: []string{}}
		for daysAgo := range c.Days {
			accounts, busy, err := k.AuditDay(ctx, time.Now().AddDate(0, 0, -daysAgo), c.Repair, func(d dbclickcopy.Difference) {
				sum.Differences++
				if len(sum.Examples) < maxExamples {
					sum.Examples = append(sum.Examples, d.String())
				}
			})
			if err != nil {
				return err
			}
			sum.Accounts, sum.Busy = sum.Accounts+accounts, sum.Busy+busy
		}
		text := fmt.Sprintf("%d days, %d accounts (each counted once per day): %d keys of the ledger differ", sum.Days, sum.Accounts, sum.Differences)
		if sum.Busy > 0 {
			text += fmt.Sprintf("; %d accounts were not compared, as they change all the time", sum.Busy)
		}
		if err := e.print(c.JSON, sum, append([]string{text}, sum.Examples...)...); err != nil {
			return err
		}
		if sum.Differences > 0 && !c.Repair {
			return errDiffers
		}
		return nil
	})
}

type clicksStatus struct{ jsonFlag }

type copyStatus struct {
	State      string  `json:"state"`       // off, copying or on
	Since      *string `json:"since"`       // while days are copied: the earliest day in ClickHouse
	ColdBefore *string `json:"cold_before"` // clicks of earlier days may be in ClickHouse alone
	Waiting    int64   `json:"waiting"`     // changes that are not yet in ClickHouse
	AgeSeconds float64 `json:"age_seconds"` // of the oldest waiting change
}

// Run implements the command.
func (c *clicksStatus) Run(ctx context.Context, e *env) error {
	return withDatabase(ctx, e, func(_ config.Config, d *db.DB) error {
		state, err := click.ReadCopy(ctx, d)
		if err != nil {
			return err
		}
		w, err := dbclickcopy.ReadWaiting(ctx, d)
		if err != nil {
			return err
		}
		s := copyStatus{State: "off", Waiting: w.Changes, AgeSeconds: w.Age.Seconds()}
		text := "off: clicks are in PostgreSQL alone"
		switch {
		case state.On && state.Done:
			s.State, text = "on", "on: ClickHouse has every click"
		case state.On:
			s.State, text = "copying", "copying: no day is in ClickHouse yet"
			if state.Has(time.Now()) {
				day := state.Since.UTC().Format(time.DateOnly)
				s.Since, text = &day, "copying: ClickHouse has the clicks from "+day+" on"
			}
		}
		if !state.ColdBefore.IsZero() {
			day := state.ColdBefore.UTC().Format(time.DateOnly)
			s.ColdBefore = &day
			text += "; clicks before " + day + " may be in ClickHouse alone"
		}
		return e.print(c.JSON, s, text, fmt.Sprintf("%d changes wait, the oldest for %s", w.Changes, w.Age.Round(time.Second)))
	})
}
