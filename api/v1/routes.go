// Package v1 holds the handlers of /api/v1, one file per resource. A resource's file has its routes, its bodies with
// their checks, and its answers; resource.go has the handlers that many resources share.
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
	"switchyard/api/v1/reporting"
	"switchyard/db/report"
	"switchyard/db/spool"
	"switchyard/jobs"
	"switchyard/models"
)

// Deps are the dependencies of the handlers. The store is not among them, because it comes with each call.
type Deps struct {
	// Jobs submits and awaits jobs.
	Jobs *jobs.Client
	// Clicks and Reports read the click store, over connections of their own.
	Clicks  reporting.ClickReader
	Reports ReportReader
	// LargeReport is how many clicks a report may read in a call; default report.Large.
	LargeReport int64
	// EgressAllow are the addresses that a customer's URL may name although they are not public (EGRESS_ALLOW).
	EgressAllow []netip.Prefix
	// BaseURL is the service's address, for tracking links on its shared domains.
	BaseURL string
	// Visitors describes the visitors of test clicks.
	Visitors click.Describer
	// Tracker is what customers point their own domains at (TRACKING_HOST).
	Tracker models.DomainTracker
	// Edge is the edge that brings domains their certificates, a name of package models. It is empty if this install has no edge.
	Edge string
	// NetworkFile and AnonymousFile say that the operator has named geo files of networks and of anonymous addresses, from
	// which proxy_kind is known (GEO_ASN_DB, GEO_ANONYMOUS_DB).
	NetworkFile, AnonymousFile bool
	// EdgePublishing says that workers publish campaigns to an edge (CLOUDFLARE_KV_NAMESPACE).
	EdgePublishing bool
	// Spool returns how many clicks of this process wait to be stored. It is nil if no clicks ever wait.
	Spool func() spool.Stats
	// Email says that workers send e-mail (SMTP_URL).
	Email bool
	// SignIn makes the addresses of ad platforms' sign-in pages. It is nil if signing in is not possible.
	SignIn oauth.Platforms
	// AIProvider is the provider of the install's own language model (AI_PROVIDER). It is empty if the install has no model.
	AIProvider string
}

// ReportReader answers the questions of the resources about figures: report.Reader.
type ReportReader interface {
	reporting.ReportReader
	GoalsOf(ctx context.Context, account uuid.UUID, campaigns []uuid.UUID, split string, from, to time.Time) (
		[]report.GoalCount, error)
	ClicksOf(ctx context.Context, accounts []uuid.UUID, from, to time.Time) (map[uuid.UUID]int64, error)
	Daily(ctx context.Context, account uuid.UUID, first, last time.Time) ([]report.DayClicks, error)
	CountSmartlinks(ctx context.Context, account uuid.UUID, list []models.Smartlink) error
	BotScores(ctx context.Context, account uuid.UUID, from, to time.Time) ([]report.BotScore, error)
	Site(ctx context.Context, account, site uuid.UUID, since, live time.Time) (report.SiteReport, error)
	SmartlinkFigures(ctx context.Context, account, smartlink uuid.UUID, from, to time.Time) (
		[]report.SmartlinkFigure, error)
}

// reports answers questions about figures, for a call that has a place for it.
func (d Deps) reports(c *route.Call) ReportReader {
	c.MustHavePlace()
	return d.Reports
}

// Routes is the table of the API: every operation below /api/v1 but the document itself, and extra rows.
func Routes(d Deps, extra ...route.Route) []route.Route {
	about := reporting.Deps{
		Jobs: d.Jobs, Clicks: d.Clicks, Reports: d.Reports, Large: d.LargeReport, BaseURL: d.BaseURL,
		Visitors: d.Visitors, Link: d.link,
	}
	rows := slices.Concat(
		campaigns(d, about),
		groups(),
		flows(),
		rules(),
		offers(d),
		landers(d),
		sources(d, about), sourceActions(d), sourceIntegrations(d),
		networks(d, about), networkIntegrations(d),
		templates(),
		smartlinks(d),
		domains(d),
		botLists(),
		sites(),
		goals(d),
		botDetection(d),
		geoDatabase(d),
		integrations(d), oauthRoutes(d),
		edge(d),
		webhooks(d),
		alertRoutes(d), alertChannels(d),
		links(d),
		copilotAI(d), copilotChat(d),
		plan(d),
		copilots(d), copilotRules(d),
		settings(d),
		reporting.Reports(about),
		corrections(d),
		reporting.Stats(about),
		reporting.Logs(about),
		extra,
	)
	setRoles(rows)
	return append(rows, jobRoutes(d, rows)...)
}
