// Package v1 has the handlers of /api/v1, in a file for each resource. Package resource has the handlers that many resources
// share. Areas that hang together, such as reports and alerts, have packages of their own.
package v1

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/click"
	"switchyard/api/oauth"
	"switchyard/api/route"
	"switchyard/api/v1/alerts"
	"switchyard/api/v1/configuration"
	"switchyard/api/v1/copilot"
	"switchyard/api/v1/reporting"
	"switchyard/api/v1/smartlinks"
	"switchyard/api/v1/webhooks"
	dbclick "switchyard/db/click"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
)

// Deps are the dependencies of the handlers.
type Deps struct {
	Jobs *jobs.Client
	// Clicks and Reports read the click store, by connections of the report pool.
	Clicks  dbclick.Log
	Reports ReportReader
	// LargeReport is the number of clicks that a report may read in a call; default report.Large.
	LargeReport int64
	// EgressAllow lists private networks that customers' URLs may lead to (EGRESS_ALLOW).
	EgressAllow []netip.Prefix
	// BaseURL is the address of the service.
	BaseURL string
	// Visitors describes the visitors of test clicks.
	Visitors click.Describer
	// Tracker is the target to which customers point their own domains (TRACKING_HOST).
	Tracker models.DomainTracker
	// Edge is a constant of package models: the edge that provides certificates for domains. It is empty if no edge does.
	Edge string
	// NetworkFile and AnonymousFile tell whether the operator has configured geo files of networks and of anonymous addresses
	// (GEO_ASN_DB, GEO_ANONYMOUS_DB).
	NetworkFile, AnonymousFile bool
	// EdgePublishing tells whether workers publish campaigns to an edge (CLOUDFLARE_KV_NAMESPACE).
	EdgePublishing bool
	// Spool returns the state of this process's clicks that wait to be stored. It is nil if clicks never wait.
	Spool func() spool.Stats
	// Email tells whether workers send e-mail (SMTP_URL).
	Email bool
	// SignIn returns the addresses of the sign-in pages of ad platforms. It is nil if signing in is not possible.
	SignIn oauth.Platforms
	// AIProvider is the provider of the install's own language model (AI_PROVIDER). It is empty if the install has no model.
	AIProvider string
}

// ReportReader has the methods of report.Reader that the resources need.
type ReportReader interface {
	reporting.ReportReader
	smartlinks.ReportReader
	GoalsOf(ctx context.Context, account uuid.UUID, campaigns []uuid.UUID, split string, from, to time.Time) (
		[]report.GoalCount, error)
	ClicksOf(ctx context.Context, accounts []uuid.UUID, from, to time.Time) (map[uuid.UUID]int64, error)
	Daily(ctx context.Context, account uuid.UUID, first, last time.Time) ([]report.DayClicks, error)
	BotScores(ctx context.Context, account uuid.UUID, from, to time.Time) ([]report.BotScore, error)
	Site(ctx context.Context, account, site uuid.UUID, since, live time.Time) (report.SiteReport, error)
	Each(ctx context.Context, q report.Query, fn func(report.Row) error) error
}

// reports returns the reader of figures. The call must hold a place in a share such as route.Reads, which limits how many calls
// run at a time.
func (d Deps) reports(c *route.Call) ReportReader {
	c.MustHavePlace()
	return d.Reports
}

// Routes returns the routes of /api/v1, with the extra routes. The OpenAPI document is not among them.
func Routes(d Deps, extra ...route.Route) []route.Route {
	about := reporting.Deps{
		Jobs: d.Jobs, Clicks: d.Clicks, Reports: d.Reports, Large: d.LargeReport, BaseURL: d.BaseURL,
		Visitors: d.Visitors, Link: d.link,
	}
	setup := configuration.Deps{
		Jobs: d.Jobs, Visitors: d.Visitors, EgressAllow: d.EgressAllow, BaseURL: d.BaseURL, Tracker: d.Tracker,
	}
	rows := slices.Concat(
		campaigns(d, about),
		groups(), notes(),
		flows(),
		rules(),
		offers(d),
		landers(d),
		sources(d, about), sourceActions(d), sourceIntegrations(d),
		networks(d, about), networkIntegrations(d), networkReports(d),
		templates(),
		smartlinks.Routes(smartlinks.Deps{Jobs: d.Jobs, Reports: d.Reports}),
		domains(d),
		botLists(),
		blocks(d),
		sites(),
		configuration.Routes(setup),
		goals(d),
		botDetection(d),
		geoDatabase(d),
		integrations(d), oauthRoutes(d),
		edge(d),
		webhooks.Routes(webhooks.Deps{Jobs: d.Jobs, EgressAllow: d.EgressAllow}),
		alerts.Routes(alerts.Deps{
			Jobs: d.Jobs, Reports: d.Reports, Clicks: d.Clicks, Spool: d.Spool, EgressAllow: d.EgressAllow,
			EdgePublishing: d.EdgePublishing, Email: d.Email,
		}),
		links(d),
		copilot.Routes(copilot.Deps{Jobs: d.Jobs, AIProvider: d.AIProvider}),
		plan(d),
		settings(d),
		configuration.OldTrackerRoutes(setup),
		reporting.Reports(about), reporting.Differences(about),
		corrections(d),
		reporting.Stats(about),
		reporting.Logs(about),
		extra,
	)
	setRoles(rows)
	return append(rows, jobRoutes(d, rows)...)
}
