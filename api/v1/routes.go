// Package v1 holds the handlers of /api/v1, one file per resource. A resource's file has its routes, its bodies with
// their checks, and its answers; resource.go has the handlers that many resources share.
package v1

import (
	"net/netip"
	"slices"

	"switchyard/api/route"
	"switchyard/api/v1/reporting"
	"switchyard/jobs"
)

// Deps are what the handlers need beside the store, which comes with each call.
type Deps struct {
	// Jobs submits and awaits jobs.
	Jobs *jobs.Client
	// EgressAllow are the addresses that a customer's URL may name although they are not public (EGRESS_ALLOW).
	EgressAllow []netip.Prefix
	// BaseURL is the service's address, for tracking links on its shared domains.
	BaseURL string
	// TrackingHost is what customers point the CNAME of their own domain at; empty if there is none (TRACKING_HOST).
	TrackingHost string
}

// Routes is the table of the API: every operation below /api/v1 but the document itself, and extra rows.
func Routes(d Deps, extra ...route.Route) []route.Route {
	about := reporting.Deps{Jobs: d.Jobs, BaseURL: d.BaseURL}
	rows := slices.Concat(
		campaigns(d),
		groups(),
		flows(),
		rules(),
		offers(),
		landers(),
		sources(),
		networks(),
		templates(),
		smartlinks(d),
		domains(d),
		webhooks(d),
		alerts(),
		plan(),
		reporting.Reports(about),
		corrections(d),
		reporting.Stats(),
		reporting.Logs(),
		extra,
	)
	return append(rows, jobRoutes(d, rows)...)
}
