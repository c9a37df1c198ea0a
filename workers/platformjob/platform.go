// Package platformjob imports rows from the platforms of affiliate networks and traffic sources. It starts the jobs on a
// schedule, reads their rows and records the end of their runs. Each job decides how to use its rows.
package platformjob

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"switchyard/db/integration"
	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// Imports runs the imports of one kind. A is the type of a job's arguments, and R is the type of its answer.
type Imports[A, R any] struct {
	Job  jobs.Job[A, R]
	Run  string // kind of the runs, such as models.RunNetworkSync
	Code string // error code when the platform fails
	Rows string // name of the rows in error messages

	Every          time.Duration
	Next           func(failures int) time.Duration // returns the time until the next import, by the number of failures in a row
	Days, WideDays int                              // lengths in days of the normal and of the wide window
	Ahead          time.Duration                    // how far the platform's clock may be ahead of the time zone that is known for its account

	// Feeds are the providers whose changes can be imported by the date of the change. ChangesBegin is how far back the first of
	// these imports reads.
	Feeds         []string
	ChangesRun    string
	ChangesBegin  time.Duration
	RecordChanges func(ctx context.Context, s *store.Store, c models.Integration, e ChangesEnd) error
	// RecordOlder stores the outcome of an import of older orders. Providers that are not among Feeds have such imports.
	RecordOlder func(ctx context.Context, s *store.Store, c models.Integration, e OlderEnd) error

	// Range returns a pointer to the days in the arguments of a job. The result is nil for a job that imports nothing.
	Range func(*A) *jobs.PlatformRange
	// Tests reports whether a job only tests its connection. A nil Tests means that no job does.
	Tests       func(A) bool
	Target      func(A) uuid.UUID
	Args        func(target uuid.UUID, of jobs.PlatformRange) A
	Connections func(*store.Store) integration.Connections

	Store *store.Store
	Now   func() time.Time

	client *jobs.Client
	ended  *prometheus.CounterVec // runs that have ended, by kind, provider and result
}

// ChangesEnd is the result of reading changes. Without a Failure, all changes until To are stored.
type ChangesEnd struct {
	To, Now time.Time
	Failure string
}

// OlderEnd is the outcome of an import of older orders. Failure is empty if it succeeded.
type OlderEnd struct {
	From, To, Now time.Time
	Failure, Code string
}

// Credentials returns the credentials of a connection, or a failure that only the account can fix.
func Credentials(ctx context.Context, k integration.Connections, c models.Integration, owner string) (all map[string]string, failure, err error) {
	all, err = k.Credentials(ctx, c)
	if errors.Is(err, seal.ErrOpen) {
		return nil, fmt.Errorf("the stored credentials cannot be read any more: connect the %s again", owner), nil
	}
	return all, nil, err
}

// testTime is the maximum time of a test of a connection.
const testTime = 20 * time.Second

// Test tests a connection. It ends after testTime, because a caller waits.
func Test(ctx context.Context, test func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	return test(ctx)
}

// Register registers the handler of the jobs with a runtime.
func (i *Imports[A, R]) Register(r *workers.Runtime, run func(context.Context, *workers.Run[A, R]) error) {
	i.client = r.Client()
	i.ended = endedRuns(r)
	name := func(a A) string {
		days := i.Range(&a)
		if days == nil {
			return ""
		}
		return Name(days.Provider, i.Target(a))
	}
	workers.RegisterRow(r, i.Job, run, workers.WithGate(Gate(r, i.Store, name)), workers.WithFailed(i.failed))
}

// endedRuns returns the counter of runs that have ended. The imports of all kinds share it.
func endedRuns(r *workers.Runtime) *prometheus.CounterVec {
	return r.NewCounter("switchyard_platform_runs_total",
		"Ended imports from networks and ad platforms, by the kind of the import, provider and result.", "kind", "provider", "result")
}

const claimedAtOnce = 500

// StartDue starts the imports that are due.
func (i *Imports[A, R]) StartDue(ctx context.Context) error {
	now := i.Now()
	return workers.StartDue(ctx, i.Store, i.client, claimedAtOnce, func(s *store.Store) ([]models.Job, error) {
		due, err := i.Connections(s).ClaimDue(ctx, now, now.Add(2*i.Every), claimedAtOnce)
		if err != nil {
			return nil, err
		}
		rows := make([]models.Job, len(due))
		for n, d := range due {
			if rows[n], err = i.Job.NewRow(d.AccountID, i.Args(d.TargetID, i.window(d, now))); err != nil {
				return nil, err
			}
		}
		return rows, nil
	})
}

// window returns the days of a scheduled import. With d.Changed, this is an import of changes or of older orders. The days of an
// import of changes are in UTC. The days of other imports are in the time zone of the platform's account, or in UTC if that time
// zone is unknown.
func (i *Imports[A, R]) window(d integration.Due, now time.Time) jobs.PlatformRange {
	if d.Changed && slices.Contains(i.Feeds, d.Provider) {
		return i.changesSince(d, now)
	}
	days := i.Days
	if d.Wide {
		days = i.WideDays
	}
	zone, err := time.LoadLocation(d.Zone) // an empty name means UTC
	if err != nil {
		zone = time.UTC
	}
	today := now.In(zone)
	from, to := today.AddDate(0, 0, 1-days), today.Add(i.Ahead)
	if d.Changed {
		from, to = models.OlderWindow(today, d.OlderFrom)
	}
	return jobs.PlatformRange{
		Provider: d.Provider, Origin: models.RunByClock, Wide: d.Wide, Older: d.Changed, Saved: d.SavedAt.UTC(),
		From: from.Format(time.DateOnly), To: to.Format(time.DateOnly),
	}
}

// changesSince returns the range of an import of changes.
func (i *Imports[A, R]) changesSince(d integration.Due, now time.Time) jobs.PlatformRange {
	since := now.Add(-i.ChangesBegin)
	if d.Since != nil {
		since = *d.Since
	}
	return jobs.PlatformRange{
		Provider: d.Provider, Origin: models.RunByClock, Changed: true, Since: since.UTC(), Saved: d.SavedAt.UTC(),
		From: since.UTC().Format(time.DateOnly), To: now.UTC().Format(time.DateOnly),
	}
}
