package jobs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"switchyard/models"
)

// The queues. Each can have worker processes of its own.
const (
	Interactive = "interactive" // jobs whose caller waits for the answer
	Webhooks    = "webhooks"
	Postbacks   = "postbacks" // postbacks to traffic sources and old trackers
	Conversions = "conversions"
	Bulk        = "bulk" // long jobs such as exports, corrections and syncs
	Maintenance = "maintenance"
)

// Queue is the name of a queue, together with the way in which a worker serves it.
type Queue struct {
	Name   string
	Weight int           // the queue's share of the worker's slots
	Fair   bool          // the slots are shared among accounts: an account with many jobs leaves some to the others
	Slow   time.Duration // for a fair queue: only accounts whose jobs take at least this long must leave slots; 0: all accounts
}

// Queues is the table of all queues, with their default weights.
var Queues = []Queue{
	{Interactive, 6, true, 0},
	{Webhooks, 10, true, 2 * time.Second},
	{Postbacks, 6, true, 2 * time.Second},
	{Conversions, 4, true, 0},
	{Bulk, 2, true, 0},
	{Maintenance, 2, false, 0},
}

const maxWeight = 100

// ParseQueues parses a selection of queues such as "interactive=6,webhooks". A queue without a weight has the weight in Queues.
// An empty text selects all queues. A weight is a number from 1 to 100.
func ParseQueues(text string) ([]Queue, error) {
	if strings.TrimSpace(text) == "" {
		return slices.Clone(Queues), nil
	}
	var chosen []Queue
	for item := range strings.SplitSeq(text, ",") {
		name, weight, weighted := strings.Cut(strings.TrimSpace(item), "=")
		i := slices.IndexFunc(Queues, func(q Queue) bool { return q.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("jobs: there is no queue %q; the queues are %s", name, strings.Join(QueueNames(), ", "))
		}
		if slices.ContainsFunc(chosen, func(q Queue) bool { return q.Name == name }) {
			return nil, fmt.Errorf("jobs: queue %q is named twice", name)
		}
		q := Queues[i]
		if weighted {
			n, err := strconv.Atoi(weight)
			if err != nil || n < 1 || n > maxWeight {
				return nil, fmt.Errorf("jobs: weight %q of queue %s is not a number from 1 to %d", weight, name, maxWeight)
			}
			q.Weight = n
		}
		chosen = append(chosen, q)
	}
	return chosen, nil
}

// QueueNames lists the names of all queues.
func QueueNames() []string {
	names := make([]string, len(Queues))
	for i, q := range Queues {
		names[i] = q.Name
	}
	return names
}

// Policy describes how a kind of job is carried out.
type Policy struct {
	// Queue is the queue in which jobs of the kind wait.
	Queue string

	// Timeout is the time that one attempt may take. The default is 30 seconds. When it is over, the handler's context ends.
	Timeout time.Duration

	// Retries has the wait after each failed attempt. If MaxAttempts allows more attempts, the last wait repeats.
	Retries []time.Duration

	// MaxAttempts is the number of attempts after which the job has failed. The default is len(Retries)+1. Attempts that a user
	// starts by hand are additional.
	MaxAttempts int

	// Retention is the time for which the answer of an ephemeral job can be fetched. The default is 10 minutes. The answers of
	// row jobs are kept for jobrow.Retention.
	Retention time.Duration

	// PerAccount limits how many row jobs of the kind run at the same time for one account, on all workers together. 0 means no
	// such limit.
	PerAccount int

	// Row says that each job has a row in PostgreSQL, because it must be carried out even if Redis loses its data.
	Row bool
}

// resumable is the policy of long row jobs that commit in batches: another attempt continues after the last batch.
var resumable = Policy{
	Queue: Bulk, Timeout: 30 * time.Minute, Row: true,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
}

// interactive returns the policy of jobs for which a caller waits and which are not retried, because the caller sees the failure.
func interactive(timeout time.Duration) Policy { return Policy{Queue: Interactive, Timeout: timeout} }

// rewindable is the policy of jobs for which a caller waits and which are retried. Each attempt selects what is left to do.
var rewindable = Policy{
	Queue: Interactive, Timeout: 10 * time.Minute, Retries: []time.Duration{time.Second, 10 * time.Second},
}

// AttemptLimit returns the maximum number of attempts of a row job, including attempts that a user has granted by hand.
func (p Policy) AttemptLimit(j models.Job) int { return cmp.Or(j.AttemptLimit, p.MaxAttempts) }

// Delay returns the wait after a failed attempt. `left` is the number of attempts that remain.
func (p Policy) Delay(left int) time.Duration {
	if len(p.Retries) == 0 {
		return 0
	}
	i := p.MaxAttempts - 1 - left
	return p.Retries[min(max(i, 0), len(p.Retries)-1)]
}

func (p Policy) withDefaults() (Policy, error) {
	if !slices.ContainsFunc(Queues, func(q Queue) bool { return q.Name == p.Queue }) {
		return p, fmt.Errorf("unknown queue %q", p.Queue)
	}
	p.Timeout = cmp.Or(p.Timeout, 30*time.Second)
	p.Retention = cmp.Or(p.Retention, 10*time.Minute)
	p.MaxAttempts = cmp.Or(p.MaxAttempts, len(p.Retries)+1)
	if p.MaxAttempts > 1 && len(p.Retries) == 0 {
		return p, fmt.Errorf("%d attempts without a wait between them", p.MaxAttempts)
	}
	if p.PerAccount > 0 && !p.Row {
		return p, errors.New("only a kind with rows can have a limit for each account")
	}
	return p, nil
}
