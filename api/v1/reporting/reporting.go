// Package reporting has the handlers of /api/v1 that tell what happened or would happen: reports and report files, statistics,
// logs, the trace of a click and the simulation of a click. Some handlers start jobs, which for example delete clicks, write files
// or send postbacks again.
package reporting

import (
	"context"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click"
	"switchyard/api/route"
	dbclick "switchyard/db/click"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
)

// Deps are the dependencies of the handlers.
type Deps struct {
	Jobs    *jobs.Client
	Clicks  dbclick.Log // uses other connections than the store
	Reports ReportReader
	Large   int64  // number of clicks that a call may read; default report.Large
	BaseURL string // address of the service, for the links to report files
	// Visitors describes the visitors of test clicks.
	Visitors click.Describer
	// Link returns the tracking link of a campaign.
	Link func(models.Campaign) string
}

// clicks returns the reader of the click store. The call must hold a place in a share such as route.Reads, which limits how many
// calls run at a time.
func (d Deps) clicks(c *route.Call) dbclick.Log {
	c.MustHavePlace()
	return d.Clicks
}

// reports returns the reader of figures. The call must hold a place, as for clicks.
func (d Deps) reports(c *route.Call) ReportReader {
	c.MustHavePlace()
	return d.Reports
}

// ReportReader has the methods of report.Reader that the handlers need.
type ReportReader interface {
	Answer(ctx context.Context, account uuid.UUID, a models.ReportArgs, maxClicks int64) ([]report.Row, error)
	Performance(ctx context.Context, q report.Query) ([]report.Row, error)
	Totals(ctx context.Context, q report.Query) (models.Figures, error)
	Orphans(ctx context.Context, account uuid.UUID, from, to time.Time) ([]report.Orphan, error)
	VisitorsSince(ctx context.Context, account uuid.UUID, from, to time.Time) (report.Live, error)
	RepeatAddresses(ctx context.Context, q report.AddressQuery) ([]report.Address, error)
	ConversionsIn(ctx context.Context, account uuid.UUID, from, to time.Time) (map[uuid.UUID]int, error)
	ClicksSince(ctx context.Context, account uuid.UUID, since time.Time) (map[uuid.UUID]int, error)
	Delays(ctx context.Context, q report.Query) ([]report.Delay, error)
	Conditions(ctx context.Context, account uuid.UUID, filters []report.Filter, zone *time.Location, from, to time.Time) (
		inPostgres, inCopy dbclick.Condition, err error)
}

// InWindow returns a query for the call's account and window.
func InWindow(c *route.Call) report.Query {
	return report.Query{AccountID: c.Account.ID, From: c.Window.From, To: c.Window.End()}
}
