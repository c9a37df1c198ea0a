// Package v1 holds the handlers of /api/v1, one file per resource. A resource's file has its routes, its bodies with
// their checks, and its answers; resource.go has the handlers that many resources share.
package v1

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/jobs"
	"switchyard/models"
)

// Deps are what the handlers need beside the store, which comes with each call.
type Deps struct {
	// Figures reads sums of clicks and conversions. Nil gives none, for tools that only need the table.
	Figures FiguresFunc
	// Jobs submits and awaits jobs.
	Jobs *jobs.Client
}

// FiguresFunc gives the figures of an account between two moments, by the records of a dimension (campaign_id,
// offer_id, lander_id, source_id, network_id). A record without clicks is left out.
type FiguresFunc func(ctx context.Context, account models.Account, dimension string, ids []uuid.UUID,
	from, to time.Time) (map[uuid.UUID]Figures, error)

// Routes is the table of the API: every operation below /api/v1 but the document itself.
func Routes(d Deps) []route.Route {
	return slices.Concat(
		offers(d),
		jobRoutes(d),
	)
}
