package jobs

import (
	"fmt"
	"time"

	"github.com/robfig/cron/v3"
)

// Tick is the argument of a job that the clock starts: the moment it was due.
type Tick struct {
	At time.Time `json:"at"`
}

// CronRow says when the clock starts a job. The spec is in UTC: five fields, or six with seconds first, or a descriptor
// such as @daily.
type CronRow struct {
	Name string
	Spec string
	Job  Job[Tick, None]
}

// Cron is the table of the jobs that the clock starts.
var Cron = []CronRow{
	{"enqueue rows that nobody holds", "*/2 * * * * *", Reconcile},
	{"forget old jobs", "17 3 * * *", Prune},
	{"forget stored answers", "7 * * * *", ForgetAnswers},
	{"compact the ledger", "*/5 * * * *", CompactLedger},
	{"tidy clicks", "41 3 * * *", TidyClicks},
	{"check links", "23 * * * *", SweepLinks},
	{"look for unsafe links", "37 */6 * * *", ScreenLinks},
	{"watch allowances", "*/5 * * * *", WatchPlans},
	{"delete old exports", "23 * * * *", SweepExports},
}

// Reconcile enqueues the rows that are due, that no worker holds and that have no task.
var Reconcile = Define[Tick, None]("jobs:reconcile", Policy{Queue: Maintenance, Timeout: 30 * time.Second})

// Prune deletes finished jobs, events and deliveries after jobrow.Retention.
var Prune = Define[Tick, None]("jobs:prune", Policy{
	Queue: Maintenance, Timeout: 10 * time.Minute, Retries: []time.Duration{time.Minute, 10 * time.Minute},
})

// ForgetAnswers deletes the API's stored answers to idempotent calls after 24 hours.
var ForgetAnswers = Define[Tick, None]("answers:forget", Policy{Queue: Maintenance, Timeout: 5 * time.Minute})

var specParser = cron.NewParser(
	cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// ParseSpec reads the spec of a CronRow. The schedule computes in the location of the time it is asked for.
func ParseSpec(spec string) (cron.Schedule, error) {
	s, err := specParser.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("jobs: cron spec %q: %w", spec, err)
	}
	return s, nil
}
