package jobs

import (
	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"switchyard/models"
	"switchyard/models/correction"
)

// CorrectionArgs say how to process the file that is stored under the id of the job.
type CorrectionArgs struct {
	Apply     bool `json:"apply"`          // false: a dry run
	Truncated bool `json:"truncated"`      // the file had more rows than are processed
	Next      int  `json:"next,omitempty"` // the first row that is not written yet

	Source string `json:"source,omitempty"` // only for CorrectCosts: the traffic source of rows that do not name a source

	Network *NetworkSync `json:"network,omitempty"` // only for SyncNetwork: where the rows come from
}

// CorrectionAnswer has the outcome of each row. Sum adds up the amounts of the accepted rows.
type CorrectionAnswer[O any] struct {
	DryRun    bool            `json:"dry_run"`
	Total     int             `json:"total"`
	Accepted  int             `json:"accepted"`
	Refused   int             `json:"refused"`
	Sum       decimal.Decimal `json:"sum"`
	Truncated bool            `json:"truncated"`
	Outcomes  []O             `json:"outcomes"`

	correction.Skips

	Network *NetworkSync `json:"network,omitempty"`
}

// Jobs that process a CSV file in batches. Each batch is written exactly once. Processing a file again changes nothing.
var (
	CorrectConversions = Define[CorrectionArgs, CorrectionAnswer[correction.ConversionOutcome]](
		"correction:conversions", resumable)
	CorrectCosts = Define[CorrectionArgs, CorrectionAnswer[correction.CostOutcome]]("correction:costs", resumable)
)

// SetCostArgs is a cost that a person sets by hand. The change has the id of the job.
type SetCostArgs struct {
	Apply   bool               `json:"apply"` // false: a dry run
	Request models.CostRequest `json:"request"`
	Done    *models.CostQuote  `json:"done,omitempty"` // set by the transaction that sets the cost, so that a later attempt does not set it again
}

// CostSet is the result of SetCost. For a dry run it says what would change.
type CostSet struct {
	DryRun bool              `json:"dry_run"`
	ID     uuid.UUID         `json:"id"` // id of the change; zero for a dry run
	Quote  models.CostQuote  `json:"quote"`
	Names  map[string]string `json:"names"`
}

// UndoCostArgs name a change of cost.
type UndoCostArgs struct {
	ID  uuid.UUID `json:"id"`
	By  string    `json:"by"`
	Key uuid.UUID `json:"key"` // the API key, if a key instead of a person undoes the change
}

// Jobs that set a cost by hand, and that undo a change of cost. Errors of SetCost: no_clicks, too_many, rate_missing. Errors of
// UndoCost: not_found, stale, too_old, overlapped.
var (
	SetCost  = Define[SetCostArgs, CostSet]("correction:set-cost", resumable)
	UndoCost = Define[UndoCostArgs, None]("correction:undo-cost", resumable)
)
