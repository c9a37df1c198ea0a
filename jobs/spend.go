package jobs

import (
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// SpendArgs say which spend of a traffic source a job reads.
type SpendArgs struct {
	SourceID uuid.UUID `json:"source_id"`
	Provider string    `json:"provider"`
	From     string    `json:"from"`   // YYYY-MM-DD, of the platform's time zone; included, as To
	To       string    `json:"to"`     //
	Origin   string    `json:"origin"` // models.RunByAPI or models.RunByClock
	Wide     bool      `json:"wide"`   // the days are the days of the longer window
	Test     bool      `json:"test"`   // only the connection is tried
	Read     bool      `json:"read"`   // the rows were read, and are stored under the id of the job
	Days     int       `json:"days"`   // that were written
	Matched  int       `json:"matched"`
	Changed  int       `json:"changed"` // days
}

// SpendSynced reports how much was read and written. For a test it holds the platform's reply: Failure is empty if the platform
// accepted the credentials.
type SpendSynced struct {
	Test     bool            `json:"test"`
	Failure  string          `json:"failure"`
	Provider string          `json:"provider"`
	From     string          `json:"from"`
	To       string          `json:"to"`
	Rows     int             `json:"rows"`
	Matched  int             `json:"matched"` // rows that found a campaign of ours
	Changed  int             `json:"changed"` // days whose spend has changed
	Spend    decimal.Decimal `json:"spend"`
	Currency string          `json:"currency"`
	Zone     string          `json:"zone"`
}

// SyncSpend reads the spend of a traffic source from its platform, all of it at first, and then writes it day by day: an attempt that
// continues after a crash has the same rows. A test asks the platform one question, and writes nothing. Errors: not_configured, no_url, not_connected, platform_error, too_many.
var SyncSpend = Define[SpendArgs, SpendSynced]("sources:sync", Policy{
	Queue: Bulk, Timeout: 15 * time.Minute, Row: true, PerAccount: 4,
	Retries: []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute},
})

// SweepSpend starts SyncSpend for each connected traffic source whose sync is due.
var SweepSpend = tick("sources:sweep", time.Minute)
