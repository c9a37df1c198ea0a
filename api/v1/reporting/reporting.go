// Package reporting holds the handlers of /api/v1 that tell what happened, or would: reports and their files,
// statistics, logs, the trace of a click and the simulation of one. They read; what they delete or write to files is a
// job.
package reporting

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click"
	"switchyard/api/route"
	"switchyard/db/clicklog"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
)

// Deps are the dependencies of the handlers. The store is not among them, because it comes with each call.
type Deps struct {
	Jobs    *jobs.Client
	Clicks  ClickReader // over connections of its own
	Reports ReportReader
	Large   int64  // how many clicks a call may read; default report.Large
	BaseURL string // the service's address, for the links to report files
	// Visitors describes the visitors of test clicks.
	Visitors click.Describer
	// Link is the tracking link of a campaign.
	Link func(models.Campaign) string
}

// clicks reads the click store, for a call that has a place for it.
func (d Deps) clicks(c *route.Call) ClickReader {
	c.MustHavePlace()
	return d.Clicks
}

// reports answers questions about figures, for a call that has a place for it.
func (d Deps) reports(c *route.Call) ReportReader {
	c.MustHavePlace()
	return d.Reports
}

// ClickReader is what the logs need of the click store: clicklog.Log.
type ClickReader interface {
	Incoming
	CopyHealth(ctx context.Context) (status, message string, err error)
	Clicks(ctx context.Context, q clicklog.LogQuery) ([]clicklog.StoredClick, error)
	Conversions(ctx context.Context, q clicklog.LogQuery) ([]models.Conversion, error)
	SmartlinkClicks(ctx context.Context, q clicklog.LogQuery) ([]clicklog.StoredSmartlinkClick, error)
	Postbacks(ctx context.Context, q clicklog.PostbackQuery) ([]clicklog.PostbackEntry, error)
	Postback(ctx context.Context, account, id uuid.UUID) (clicklog.PostbackEntry, error)
	FindClick(ctx context.Context, account, id uuid.UUID) (clicklog.ClickDetail, error)
	SalesOf(ctx context.Context, account uuid.UUID, clicks []clicklog.StoredClick) (map[uuid.UUID]clicklog.Sales, error)
}

// ReportReader answers questions about figures: report.Reader.
type ReportReader interface {
	Answer(ctx context.Context, account uuid.UUID, a models.ReportArgs) ([]report.Row, error)
	AnswerCost(ctx context.Context, account uuid.UUID, a models.ReportArgs) (clicks int64, err error)
	Performance(ctx context.Context, q report.Query) ([]report.Row, error)
	Totals(ctx context.Context, q report.Query) (models.Figures, error)
	Orphans(ctx context.Context, account uuid.UUID, from, to time.Time) ([]report.Orphan, error)
	VisitorsSince(ctx context.Context, account uuid.UUID, from, to time.Time) (report.Live, error)
	RepeatAddresses(ctx context.Context, q report.AddressQuery) ([]report.Address, error)
	ConversionsIn(ctx context.Context, account uuid.UUID, from, to time.Time) (map[uuid.UUID]int, error)
}

// InWindow asks about the call's account and window.
func InWindow(c *route.Call) report.Query {
	return report.Query{AccountID: c.Account.ID, From: c.Window.From, To: c.Window.End()}
}
