package jobs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// Job is the descriptor of a kind of job: arguments A, answer R, policy. Make one with Define, as a package variable.
// Arguments are ids and small scalars, without secrets: operators see them in the queue.
type Job[A, R any] struct {
	kind   string
	policy Policy
	unique func(A) string
}

// None is the answer of a job that has none, and the arguments of one that needs none.
type None struct{}

var registry = struct {
	sync.RWMutex
	policies map[string]Policy
}{policies: map[string]Policy{}}

// Define makes the descriptor of a kind, "family:verb". A kind is never renamed while jobs of it exist. Defining a
// kind twice, or with a wrong policy, panics.
func Define[A, R any](kind string, p Policy) Job[A, R] {
	p, err := p.withDefaults()
	if err != nil {
		panic(fmt.Sprintf("jobs: %s: %v", kind, err))
	}
	registry.Lock()
	defer registry.Unlock()
	if _, twice := registry.policies[kind]; twice {
		panic("jobs: " + kind + " is defined twice")
	}
	registry.policies[kind] = p
	return Job[A, R]{kind: kind, policy: p}
}

// PolicyOf finds the policy of a defined kind.
func PolicyOf(kind string) (Policy, bool) {
	registry.RLock()
	defer registry.RUnlock()
	p, ok := registry.policies[kind]
	return p, ok
}

// RowKinds lists the defined kinds that have rows, of one queue or of all ("").
func RowKinds(queue string) []string {
	registry.RLock()
	defer registry.RUnlock()
	var kinds []string
	for kind, p := range registry.policies {
		if p.Row && (queue == "" || p.Queue == queue) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// Kinds lists every defined kind.
func Kinds() []string {
	registry.RLock()
	defer registry.RUnlock()
	return slices.Sorted(maps.Keys(registry.policies))
}

// UniqueBy makes jobs with the same key (per account) one job: while one waits or runs, submitting another meets it.
func (j Job[A, R]) UniqueBy(key func(A) string) Job[A, R] {
	j.unique = key
	return j
}

// Kind is the name of the kind.
func (j Job[A, R]) Kind() string { return j.kind }

// Policy tells how the job is carried out.
func (j Job[A, R]) Policy() Policy { return j.policy }

// NewRow makes the row of a job that is due now, for jobrow.Insert. The zero account is none.
func (j Job[A, R]) NewRow(account uuid.UUID, args A) (models.Job, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return models.Job{}, fmt.Errorf("jobs: arguments of %s: %w", j.kind, err)
	}
	return models.Job{
		ID: uuid.Must(uuid.NewV7()), AccountID: uuid.NullUUID{UUID: account, Valid: account != uuid.Nil},
		Kind: j.kind, Args: raw, MaxAttempts: j.policy.MaxAttempts, NextAttemptAt: time.Now(),
	}, nil
}

// Payload is what a task carries. A task of a row job names the row, an ephemeral one has its arguments.
type Payload struct {
	Kind    string          `json:"kind"`
	Account uuid.UUID       `json:"account,omitzero"`
	Row     uuid.UUID       `json:"row,omitzero"`
	Args    json.RawMessage `json:"args,omitempty"`
}

// Outcome is the end of an ephemeral job: its answer or its error.
type Outcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *models.Error   `json:"error,omitempty"`
}

// Row names a row job for dispatching. Generation is the row's: each one makes a task with an id of its own, because
// an id that still exists in the queue, an archived one for instance, cannot be enqueued again.
type Row struct {
	Kind       string
	ID         uuid.UUID
	Account    uuid.UUID // zero = not known
	Generation int64
}

// TaskID is the id of the row's task.
func (r Row) TaskID() string { return fmt.Sprintf("%s:%s:%d", r.Kind, r.ID, r.Generation) }
