package jobs

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// SpendArgs select the spend of a traffic source that a job reads. Days, Matched and Changed are the progress of the job.
type SpendArgs struct {
	SourceID uuid.UUID `json:"source_id"`
	PlatformRange
	Test    bool `json:"test"` // the job only tests the connection
	Days    int  `json:"days"`
	Matched int  `json:"matched"`
	Changed int  `json:"changed"` // number of days whose spend has changed
}

// SpendSynced reports how much was read and written. In a test, Failure says why the platform refused the credentials, or is empty.
type SpendSynced struct {
	Test     bool            `json:"test"`
	Failure  string          `json:"failure"`
	Provider string          `json:"provider"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Rows     int             `json:"rows"`
	Matched  int             `json:"matched"` // rows that were matched to one of our campaigns
	Changed  int             `json:"changed"` // days whose spend has changed
	Spend    decimal.Decimal `json:"spend"`
	Currency string          `json:"currency"`
	Zone     string          `json:"zone"`
}

// SyncSpend reads all spend of the range from a traffic source's platform and then writes it day by day. A repeated attempt
// continues with the rows that were already read. A test makes one request to the platform and writes nothing. Errors:
// not_configured, no_url, not_connected, platform_error, too_many.
var SyncSpend = Define[SpendArgs, SpendSynced]("sources:sync", platformImport)

// SweepSpend starts SyncSpend for each connected traffic source whose sync is due.
var SweepSpend = tickWithin("sources:sweep", time.Minute)
