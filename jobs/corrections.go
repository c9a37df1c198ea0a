package jobs

import (
	"time"

	"github.com/shopspring/decimal"

	"switchyard/models/correction"
)

// CorrectionArgs say what to do with the file that is stored under the id of the job. Next is how far it got: the first
// row that is not written yet.
type CorrectionArgs struct {
	Apply     bool `json:"apply"`     // false is a dry run
	Truncated bool `json:"truncated"` // rows of the file were left away
	Next      int  `json:"next,omitempty"`
}

// CorrectionAnswer tells what became of each row. Sum is of the amounts of those that were accepted.
type CorrectionAnswer[O any] struct {
	DryRun    bool            `json:"dry_run"`
	Total     int             `json:"total"`
	Accepted  int             `json:"accepted"`
	Refused   int             `json:"refused"`
	Sum       decimal.Decimal `json:"sum"`
	Truncated bool            `json:"truncated"`
	Outcomes  []O             `json:"outcomes"`
}

// Corrections work through a CSV file in parts, each of which is written as a whole and once; a worker that dies is
// followed by one that goes on. Running one again changes nothing more.
var (
	CorrectConversions = Define[CorrectionArgs, CorrectionAnswer[correction.ConversionOutcome]](
		"correction:conversions", correcting)
	CorrectCosts = Define[CorrectionArgs, CorrectionAnswer[correction.CostOutcome]]("correction:costs", correcting)
)

var correcting = Policy{
	Queue: Bulk, Timeout: 30 * time.Minute, Row: true,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
}
