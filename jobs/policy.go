package jobs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The queues. Each can be served by processes of its own.
const (
	Interactive = "interactive" // somebody is waiting for the answer
	Webhooks    = "webhooks"
	Conversions = "conversions"
	Bulk        = "bulk" // exports, corrections, syncs
	Maintenance = "maintenance"
)

// Queue is a queue with its share of a worker's slots, and how often an idle worker asks for work.
type Queue struct {
	Name   string
	Weight int
	Poll   time.Duration
}

// Queues is the table of queues and the weights a worker gives them unless told otherwise.
var Queues = []Queue{
	{Interactive, 6, 15 * time.Millisecond},
	{Webhooks, 10, 25 * time.Millisecond},
	{Conversions, 4, 25 * time.Millisecond},
	{Bulk, 2, 100 * time.Millisecond},
	{Maintenance, 2, 100 * time.Millisecond},
}

const maxWeight = 100

// ParseQueues reads "interactive=6,webhooks=4"; a name alone has the weight of the table, an empty text means all
// queues of the table.
func ParseQueues(text string) ([]Queue, error) {
	if strings.TrimSpace(text) == "" {
		return slices.Clone(Queues), nil
	}
	var chosen []Queue
	for item := range strings.SplitSeq(text, ",") {
		name, weight, weighted := strings.Cut(strings.TrimSpace(item), "=")
		i := slices.IndexFunc(Queues, func(q Queue) bool { return q.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("jobs: there is no queue %q; the queues are %s", name, queueNames())
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

func queueNames() string {
	names := make([]string, len(Queues))
	for i, q := range Queues {
		names[i] = q.Name
	}
	return strings.Join(names, ", ")
}

// Policy says how a kind of job is carried out; nothing of it stands elsewhere.
type Policy struct {
	Queue       string
	Timeout     time.Duration   // of one attempt; default 30 seconds
	Retries     []time.Duration // the wait after each failed attempt; the last one repeats if MaxAttempts asks for more
	MaxAttempts int             // default: one more than there are waits
	Keep        time.Duration   // how long an ephemeral job's answer can be fetched; default 10 minutes
	Row         bool            // the job has a row in PostgreSQL
}

// Delay is the wait after a failed attempt when so many attempts are left. Counting from the end keeps the schedule
// of a job to which attempts by hand were added.
func (p Policy) Delay(left int) time.Duration {
	if len(p.Retries) == 0 {
		return 0
	}
	i := p.MaxAttempts - 1 - left
	return p.Retries[min(max(i, 0), len(p.Retries)-1)]
}

// withDefaults fills what was left out. A wrong policy is a programming mistake.
func (p Policy) withDefaults() (Policy, error) {
	if !slices.ContainsFunc(Queues, func(q Queue) bool { return q.Name == p.Queue }) {
		return p, fmt.Errorf("unknown queue %q", p.Queue)
	}
	if p.Timeout == 0 {
		p.Timeout = 30 * time.Second
	}
	if p.MaxAttempts == 0 {
		p.MaxAttempts = len(p.Retries) + 1
	}
	if p.MaxAttempts > 1 && len(p.Retries) == 0 {
		return p, fmt.Errorf("%d attempts without a wait between them", p.MaxAttempts)
	}
	if p.Keep == 0 {
		p.Keep = 10 * time.Minute
	}
	return p, nil
}
