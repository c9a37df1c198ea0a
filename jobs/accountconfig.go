package jobs

import "github.com/google/uuid"

// PlanConfigArgs are empty: the document is stored under the id of the job, which becomes the id of the plan.
type PlanConfigArgs struct{}

// ConfigPlanned is the id of a plan.
type ConfigPlanned struct {
	PlanID uuid.UUID `json:"plan_id"`
}

// ImportConfigArgs are empty: the tracker, and how to read it, are stored under the id of the job, which becomes the id of the plan.
type ImportConfigArgs struct{}

// ApplyConfigArgs name a plan. Undo restores what was before it.
type ApplyConfigArgs struct {
	PlanID uuid.UUID `json:"plan_id"`
	Undo   bool      `json:"undo"`
	Begun  bool      `json:"begun,omitempty"` // an attempt has found that nothing is stale, and has begun to write
	Kept   []string  `json:"kept,omitempty"`  // records that an undo leaves as they are
}

// ConfigApplied says what was written.
type ConfigApplied struct {
	PlanID uuid.UUID `json:"plan_id"`
	Done   int       `json:"done"`
	Kept   []string  `json:"kept"`
}

// The jobs of documents with the settings of an account. PlanConfig says what a document would change, and writes nothing else.
// ApplyConfig writes one campaign at a time, and continues where it was cut off. Errors of ApplyConfig: stale.
var (
	PlanConfig = Define[PlanConfigArgs, ConfigPlanned]("config:plan", resumable)
	// ImportConfig reads another tracker, and plans the document that it has read. A tracker that does not answer is read again later.
	ImportConfig = Define[ImportConfigArgs, ConfigPlanned]("config:import", Policy{
		Queue: Bulk, Timeout: resumable.Timeout, Row: true, PerAccount: platformImport.PerAccount, Retries: resumable.Retries,
	})
	ApplyConfig = Define[ApplyConfigArgs, ConfigApplied]("config:apply", resumable)
)
