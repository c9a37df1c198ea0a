package jobs

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"switchyard/models"
)

// Job describes a kind of job: its arguments A, its answer R and its policy. Define returns a Job, which is kept in a package
// variable.
//
// Arguments should be ids and small scalars, without secrets in clear text, because operators see them in the queue.
type Job[A, R any] struct {
	kind   string
	policy Policy
}

// None is the answer of a job without an answer, and the arguments of a job without arguments.
type None struct{}

// policies has the Policy of each defined kind, by its name.
var policies sync.Map

// Define describes a kind of job, named "family:verb". The name must not change while there are stored jobs of the kind. Define
// panics if the kind is defined twice or the policy is invalid.
func Define[A, R any](kind string, p Policy) Job[A, R] {
	p, err := p.withDefaults()
	if err != nil {
		panic(fmt.Sprintf("jobs: %s: %v", kind, err))
	}
	if _, twice := policies.LoadOrStore(kind, p); twice {
		panic("jobs: " + kind + " is defined twice")
	}
	return Job[A, R]{kind: kind, policy: p}
}

// PolicyOf finds the policy of a defined kind.
func PolicyOf(kind string) (Policy, bool) {
	found, _ := policies.Load(kind)
	p, ok := found.(Policy)
	return p, ok
}

// Kinds lists every defined kind.
func Kinds() []string { return kindsWhere(func(string, Policy) bool { return true }) }

// RowKinds lists the defined kinds that have rows. An empty queue or name selects all.
func RowKinds(queue, name string) []string {
	return kindsWhere(func(kind string, p Policy) bool {
		return p.Row && (queue == "" || p.Queue == queue) && (name == "" || kind == name)
	})
}

func kindsWhere(accept func(kind string, p Policy) bool) []string {
	var kinds []string
	for kind, p := range policies.Range {
		if accept(kind.(string), p.(Policy)) {
			kinds = append(kinds, kind.(string))
		}
	}
	slices.Sort(kinds)
	return kinds
}

// Kind returns the name of the kind.
func (j Job[A, R]) Kind() string { return j.kind }

// Policy returns the policy of the kind.
func (j Job[A, R]) Policy() Policy { return j.policy }

// NewRow returns a row for jobrow.Insert, for a job that is due now. The zero account means the service itself.
func (j Job[A, R]) NewRow(account uuid.UUID, args A) (models.Job, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return models.Job{}, fmt.Errorf("jobs: arguments of %s: %w", j.kind, err)
	}
	return models.Job{
		ID: uuid.Must(uuid.NewV7()), AccountID: uuid.NullUUID{UUID: account, Valid: account != uuid.Nil},
		Kind: j.kind, Args: raw, NextAttemptAt: time.Now(),
	}, nil
}

// Payload is the content of a task, as JSON. For a row job it has the id of the row, for an ephemeral job the arguments.
type Payload struct {
	Kind    string          `json:"kind"`
	Account uuid.UUID       `json:"account,omitzero"`
	Row     uuid.UUID       `json:"row,omitzero"`
	Args    json.RawMessage `json:"args,omitempty"`
}

// Outcome is the answer or the error of an ephemeral job.
type Outcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *models.Error   `json:"error,omitempty"`
}

// TaskID returns the id of the task that runs a row: kind:row:generation.
func TaskID(r models.JobRef) string { return fmt.Sprintf("%s:%s:%d", r.Kind, r.ID, r.Generation) }

var rowID = regexp.MustCompile(`(?:^|:)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?::(\d+))?$`)

// ParseTaskID parses an id that TaskID returned. For the plain id of a row, the generation is -1. For any other text, ok is
// false.
func ParseTaskID(id string) (row uuid.UUID, generation int64, ok bool) {
	m := rowID.FindStringSubmatch(id)
	if m == nil {
		return uuid.Nil, -1, false
	}
	generation, err := strconv.ParseInt(m[2], 10, 64)
	if err != nil {
		generation = -1
	}
	return uuid.MustParse(m[1]), generation, true
}
