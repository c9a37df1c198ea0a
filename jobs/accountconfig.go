package jobs

import (
	"time"

	"github.com/google/uuid"
)

// PlanConfigArgs are empty: the document is stored under the id of the job, which becomes the id of the plan.
type PlanConfigArgs struct{}

// ConfigPlanned is the id of a plan.
type ConfigPlanned struct {
	PlanID uuid.UUID `json:"plan_id"`
}

// ImportConfigArgs are empty: what the job reads, such as the address and the key of another tracker, is stored under the id of the
// job, which becomes the id of the plan.
type ImportConfigArgs struct{}

// ApplyConfigArgs name a plan. With Undo, the job reverts the changes that the plan made.
type ApplyConfigArgs struct {
	PlanID uuid.UUID `json:"plan_id"`
	Undo   bool      `json:"undo"`
	Begun  bool      `json:"begun,omitempty"` // an attempt has found no stale record, and has begun to write
	Kept   []string  `json:"kept,omitempty"`  // records that an undo could not change, with the reasons
}

// ConfigApplied is the result of ApplyConfig.
type ConfigApplied struct {
	PlanID uuid.UUID `json:"plan_id"`
	Done   int       `json:"done"`
	Kept   []string  `json:"kept"`
}

// The jobs for documents with the settings of an account. PlanConfig compares a document with the account, and stores the
// differences as a plan. ApplyConfig writes one record at a time, and after an interruption continues where it stopped. Errors of
// ApplyConfig: stale, or the error of a record that cannot be written.
var (
	PlanConfig = Define[PlanConfigArgs, ConfigPlanned]("config:plan", resumable)
	// ImportConfig makes a plan from another tracker. If the tracker does not answer, it is read again later.
	ImportConfig = Define[ImportConfigArgs, ConfigPlanned]("config:import", Policy{
		Queue: Bulk, Timeout: resumable.Timeout, Row: true, PerAccount: platformImport.PerAccount, Retries: resumable.Retries,
	})
	ApplyConfig = Define[ApplyConfigArgs, ConfigApplied]("config:apply", resumable)
)

// ImportHistoryArgs say which part of another tracker's log is read, and how far it has been read.
type ImportHistoryArgs struct {
	Access []byte `json:"access,omitempty"` // sealed; deleted when reading has ended
	From   string `json:"from"`             // the first and the last day to read
	To     string `json:"to"`
	Zone   string `json:"zone"` // time zone of times without an offset

	Conversions bool   `json:"conversions,omitempty"` // true after all clicks are read; conversions are read next
	Day         string `json:"day,omitempty"`         // the day that is being read; empty: the first day
	Page        int    `json:"page,omitempty"`        // number of pages of that day that are already written

	HistoryImported
}

// HistoryImported counts the rows of a log that a job has stored or skipped. Rows that an earlier job stored are not counted.
type HistoryImported struct {
	Clicks      int            `json:"clicks"`
	Conversions int            `json:"conversions"`
	Skipped     map[string]int `json:"skipped"`
}

// ImportHistory reads the log of clicks and conversions of another tracker page by page. If the tracker does not answer, the job
// requests the same page again later. Errors: not_read.
var ImportHistory = Define[ImportHistoryArgs, HistoryImported]("config:history", Policy{
	Queue: Bulk, Timeout: historyTimeout, Row: true, PerAccount: platformImport.PerAccount, Retries: resumable.Retries,
})

// historyTimeout limits an attempt. RedTrack allows 20 requests a minute, so a year of a large account takes hours.
const historyTimeout = 12 * time.Hour
