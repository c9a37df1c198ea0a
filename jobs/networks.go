package jobs

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"switchyard/models/correction"
)

// PlatformRange selects the days that a job reads from a platform.
type PlatformRange struct {
	Provider string `json:"provider"`
	From     string `json:"from"` // YYYY-MM-DD in the platform's time zone; From and To are included
	To       string `json:"to"`
	Origin   string `json:"origin"` // models.RunByAPI or models.RunByClock
	Wide     bool   `json:"wide"`   // From and To span the long window, such as models.SyncWideDays
	Read     bool   `json:"read"`   // the rows have been read and are stored under the id of the job

	Older bool `json:"older,omitempty"`

	// Saved is the time at which the connection was saved. A connection that was saved again later may lead to another account at
	// the platform.
	Saved time.Time `json:"saved,omitzero"`

	// If Changed is set, the job reads the rows that changed at or after Since, whatever their day. From and To then select
	// nothing and are only shown. Until is the time up to which changes were read, zero before that.
	Changed bool      `json:"changed,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Until   time.Time `json:"until,omitzero"`
}

// Days returns the first and the last day.
func (r PlatformRange) Days() (from, to time.Time, err error) {
	if from, err = time.Parse(time.DateOnly, r.From); err != nil {
		return from, to, fmt.Errorf("jobs: first day: %w", err)
	}
	if to, err = time.Parse(time.DateOnly, r.To); err != nil {
		return from, to, fmt.Errorf("jobs: last day: %w", err)
	}
	return from, to, nil
}

// NetworkSync selects the orders of a network that a job imports.
type NetworkSync struct {
	NetworkID uuid.UUID `json:"network_id"`
	PlatformRange
}

// platformImport is the policy of jobs that read all rows of a platform first and then write them in batches.
var platformImport = Policy{
	Queue: Bulk, Timeout: 15 * time.Minute, Row: true, PerAccount: 4, Retries: resumable.Retries,
}

// SyncNetwork imports the orders of a network. It reads all orders, then processes them like CorrectConversions. Errors:
// not_connected, network_error, too_many, bad_range.
var SyncNetwork = Define[CorrectionArgs, CorrectionAnswer[correction.ConversionOutcome]]("networks:sync", platformImport)

// NetworkArgs identify a network.
type NetworkArgs struct {
	ID uuid.UUID `json:"id"`
}

// NetworkTested is the platform's reply to the credentials of a network. Failure is empty if they were accepted.
type NetworkTested struct {
	Provider string `json:"provider"`
	Failure  string `json:"failure"`
}

// TestNetwork tries the connection of a network. Errors: not_connected.
var TestNetwork = Define[NetworkArgs, NetworkTested]("networks:test", interactive(24*time.Second))

// NetworkReportArgs identify a network. The network's own report is stored under the id of the job.
type NetworkReportArgs struct {
	NetworkID uuid.UUID `json:"network_id"`
	Truncated bool      `json:"truncated"` // the file had more rows than the job reads
}

// NetworkReport describes what was stored from a network's own report.
type NetworkReport struct {
	Kind      string            `json:"kind"` // ReportOrders or ReportTotals
	Total     int               `json:"total"`
	Stored    int               `json:"stored"`
	Refused   int               `json:"refused"`
	Truncated bool              `json:"truncated"`
	From      string            `json:"from"` // the first day; empty: no row was stored
	To        string            `json:"to"`
	Refusals  []NetworkRowError `json:"refusals"` // at most MaxReportRefusals
}

// NetworkRowError is a row of the report that was refused.
type NetworkRowError struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// The kinds of reports.
const (
	ReportOrders = "orders" // a row for each conversion
	ReportTotals = "totals" // sums by day
)

// MaxReportRefusals is the maximum number of refused rows that an answer lists.
const MaxReportRefusals = 100

// SaveNetworkReport stores a network's own report, which a person has uploaded, for the comparison with our figures.
var SaveNetworkReport = Define[NetworkReportArgs, NetworkReport]("networks:report", resumable)

// SweepNetworks starts SyncNetwork for each connected network whose import is due.
var SweepNetworks = tickWithin("networks:sweep", time.Minute)
