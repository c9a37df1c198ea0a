package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// States of a job that has a row.
const (
	JobPending = "pending" // waits for its next attempt
	JobRunning = "running" // a worker holds its lease
	JobDone    = "done"
	JobFailed  = "failed" // after the last attempt; can be run again by hand
)

// Kinds of jobs that have a row. A kind is never renamed while rows of it exist.
const (
	KindDeliverWebhook   = "webhook:deliver"
	KindRecordConversion = "conversion:record"
)

// Job is the row of a job that must happen. The row is the truth: it is written in the transaction of its cause, and a
// task in the queue only names it.
type Job struct {
	ID            uuid.UUID       `db:"id"`
	AccountID     uuid.NullUUID   `db:"account_id"` // null while the account of the cause is not known yet
	Kind          string          `db:"kind"`
	Args          json.RawMessage `db:"args"`
	State         string          `db:"state"`
	Attempts      int             `db:"attempts"`
	AttemptLimit  int             `db:"attempt_limit"` // set by hand; 0 = as the policy of the kind says
	NextAttemptAt time.Time       `db:"next_attempt_at"`
	LeaseUntil    *time.Time      `db:"lease_until"`
	Fence         int64           `db:"fence"`      // grows with every claim; an effect commits only under the present one
	Generation    int64           `db:"generation"` // grows whenever the row is enqueued anew
	Result        json.RawMessage `db:"result"`
	Error         json.RawMessage `db:"error"` // an Error
	CreatedAt     time.Time       `db:"created_at"`
	FinishedAt    *time.Time      `db:"finished_at"`
}

// JobRef names a row job to the queue. Each generation of a row is a task with an id of its own, because an id that the
// queue has in any state, an archived one for instance, cannot be enqueued again.
type JobRef struct {
	Kind       string    `db:"kind"`
	ID         uuid.UUID `db:"id"`
	Account    uuid.UUID `db:"account_id"` // zero = not known
	Generation int64     `db:"generation"`
}
