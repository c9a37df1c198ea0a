package v1

import (
	"github.com/google/uuid"

	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/jobs"
)

// ProbeArgs, ProbeResult and ProbeAnswer belong to two jobs that exist only in tests.
type (
	ProbeArgs   struct{ Text string }
	ProbeResult struct{ Echo string }
	ProbeAnswer struct {
		Echo string `json:"echo"`
	}
)

// ProbeJob is a job that has no row in the database.
var ProbeJob = jobs.Define[ProbeArgs, ProbeResult]("probe:echo", jobs.Policy{Queue: jobs.Interactive})

// ProbeRowJob is a job that has a row in the database.
var ProbeRowJob = jobs.Define[ProbeArgs, ProbeResult]("probe:row", jobs.Policy{Queue: jobs.Interactive, Row: true})

var (
	probe    = slow.New(ProbeJob, func(r ProbeResult) ProbeAnswer { return ProbeAnswer(r) })
	probeRow = slow.New(ProbeRowJob, func(r ProbeResult) ProbeAnswer { return ProbeAnswer(r) })
)

// ProbeRoutes returns a route for each of the two jobs. /probe-row waits for the job whose row has the id in the query.
func ProbeRoutes(d Deps) []route.Route {
	return []route.Route{{
		Method: "POST", Path: "/probe", Scope: route.Write, Slow: probe.Answer(), Codes: route.Codes("502 network_error"),
		Handle: route.Handle(func(c *route.Call) (ProbeAnswer, error) { return probe.Run(c, d.Jobs, ProbeArgs{"hello"}) }),
	}, {
		Method: "POST", Path: "/probe-row", Scope: route.Write, Slow: probeRow.Answer(), Query: []route.Param{{Name: "id"}},
		Handle: route.Handle(func(c *route.Call) (ProbeAnswer, error) {
			return probeRow.Await(c, d.Jobs, uuid.MustParse(c.Query.Get("id")))
		}),
	}}
}
