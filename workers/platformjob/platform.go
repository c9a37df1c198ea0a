// Package platformjob imports rows from the platforms of affiliate networks and of traffic sources. It starts the jobs by the clock,
// reads the rows of a job once, and records how its run ended. What the rows mean is up to the job.
package platformjob

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/db/seal"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/workers"
)

// Imports are the imports of one kind. A has the arguments of its jobs, R their answers.
type Imports[A, R any] struct {
	Job  jobs.Job[A, R]
	Run  string // kind of the runs, such as models.RunNetworkSync
	Code string // error code of a failure of the platform
	Rows string // name of the rows in error messages

	Every          time.Duration
	Next           func(failures int) time.Duration // from an import to the next one
	Days, WideDays int                              // lengths of the two windows
	Ahead          time.Duration                    // how far the platform's day may be ahead of the time zone that is known

	// Range returns the days that a job reads. A change of the result changes the arguments; nil: the job imports nothing.
	Range func(*A) *jobs.PlatformRange
	// Tests reports whether a job only tests its connection; nil: no job does.
	Tests func(A) bool
	// Target returns the network or the traffic source of a job. Args makes the arguments of a scheduled job.
	Target func(A) uuid.UUID
	Args   func(target uuid.UUID, of jobs.PlatformRange) A
	// Connections returns the connections of the networks or of the traffic sources.
	Connections func(*store.Store) store.Integrations

	Store *store.Store
	Now   func() time.Time

	client *jobs.Client
}

// Credentials returns the credentials of a connection. failure is an error that only its account can fix. owner names the network
// or the traffic source to a person.
func Credentials(ctx context.Context, k store.Integrations, c models.Integration, owner string) (all map[string]string, failure, err error) {
	all, err = k.Credentials(ctx, c)
	if errors.Is(err, seal.ErrOpen) {
		return nil, fmt.Errorf("the stored credentials cannot be read any more: connect the %s again", owner), nil
	}
	return all, nil, err
}

// testTime limits a test of a connection, while its caller waits.
const testTime = 20 * time.Second

// Test tests a connection, for as long as its caller waits.
func Test(ctx context.Context, test func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	return test(ctx)
}

// Register registers the handler of the jobs at a runtime.
func (i *Imports[A, R]) Register(r *workers.Runtime, run func(context.Context, *workers.Run[A, R]) error) {
	i.client = r.Client()
	name := func(a A) string {
		of := i.Range(&a)
		if of == nil {
			return ""
		}
		return Name(of.Provider, i.Target(a))
	}
	workers.RegisterRow(r, i.Job, run, workers.WithGate(Gate(r, i.Store, name)), workers.WithFailed(i.failed))
}

// claimedAtOnce is how many due connections a sweep claims in one batch.
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

// window returns the days of a scheduled import, in the time zone of the platform's account, or in UTC if that is unknown.
func (i *Imports[A, R]) window(d store.DueIntegration, now time.Time) jobs.PlatformRange {
	days := i.Days
	if d.Wide {
		days = i.WideDays
	}
	zone, err := time.LoadLocation(d.Zone) // empty: UTC
	if err != nil {
		zone = time.UTC
	}
	today := now.In(zone)
	return jobs.PlatformRange{
		Provider: d.Provider, Origin: models.RunByClock, Wide: d.Wide,
		From: today.AddDate(0, 0, 1-days).Format(time.DateOnly), To: today.Add(i.Ahead).Format(time.DateOnly),
	}
}
