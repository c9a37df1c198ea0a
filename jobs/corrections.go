package jobs

import (
	"github.com/shopspring/decimal"

	"switchyard/models/correction"
)

// CorrectionArgs say how to process the file that is stored under the id of the job.
type CorrectionArgs struct {
	Apply     bool `json:"apply"`          // false is a dry run
	Truncated bool `json:"truncated"`      // the file had more rows than are processed
	Next      int  `json:"next,omitempty"` // the first row that is not written yet

	Source string `json:"source,omitempty"` // only for CorrectCosts: the traffic source of rows that name none

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

	Network *NetworkSync `json:"network,omitempty"` // only for SyncNetwork
}

// Jobs that process a CSV file in batches. Each batch is written as a whole, exactly once. Processing a file again changes
// nothing.
var (
	CorrectConversions = Define[CorrectionArgs, CorrectionAnswer[correction.ConversionOutcome]](
		"correction:conversions", resumable)
	CorrectCosts = Define[CorrectionArgs, CorrectionAnswer[correction.CostOutcome]]("correction:costs", resumable)
)
