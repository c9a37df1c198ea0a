package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// States of a job that has a row.
const (
	JobPending = "pending"
	JobRunning = "running"
	JobDone    = "done"
	JobFailed  = "failed" // the last attempt has failed; an operator can run the job again
)

// Some kinds of jobs that have a row. A kind must never be renamed while there are rows of it.
const (
	KindDeliverWebhook   = "webhook:deliver"
	KindRecordConversion = "conversion:record"
	KindSendPostback     = "postback:send"
	KindForwardPostback  = "postback:forward"
	KindSendAlert        = "alert:send"
)

// Job is the row of a job that must not be lost. It is written in the same transaction as the change that causes the job.
type Job struct {
	ID            uuid.UUID       `db:"id"`
	AccountID     uuid.NullUUID   `db:"account_id"` // null while the account is not known yet
	Kind          string          `db:"kind"`
	Args          json.RawMessage `db:"args"`
	State         string          `db:"state"`
	Attempts      int             `db:"attempts"`
	AttemptLimit  int             `db:"attempt_limit"` // set by an operator; 0: the limit of the kind's policy
	NextAttemptAt time.Time       `db:"next_attempt_at"`
	LeaseUntil    *time.Time      `db:"lease_until"`
	Fence         int64           `db:"fence"`      // increases with every claim; only the latest claim can commit
	Generation    int64           `db:"generation"` // increases whenever the row is enqueued again
	Result        json.RawMessage `db:"result"`
	Error         json.RawMessage `db:"error"` // an Error as JSON
	CreatedAt     time.Time       `db:"created_at"`
	FinishedAt    *time.Time      `db:"finished_at"`
}

// NewRefs returns references to new jobs of a kind and an account.
func NewRefs(kind string, account uuid.UUID, ids []uuid.UUID) []JobRef {
	refs := make([]JobRef, len(ids))
	for i, id := range ids {
		refs[i] = JobRef{Kind: kind, ID: id, Account: account}
	}
	return refs
}

// JobRef identifies, in the queue, a job that has a row. Each generation of a row is a task with its own id, because the queue
// refuses an id that it already has in any state, even archived.
type JobRef struct {
	Kind       string    `db:"kind"`
	ID         uuid.UUID `db:"id"`
	Account    uuid.UUID `db:"account_id"` // zero: not known
	Generation int64     `db:"generation"`
}
