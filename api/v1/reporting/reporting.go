// Package reporting holds the handlers of /api/v1 that tell what happened, or would: reports and their files,
// statistics, logs, the trace of a click and the simulation of one. They read; what they delete or write to files is a
// job.
package reporting

import "switchyard/jobs"

// Deps are what the handlers need beside the store, which comes with each call.
type Deps struct {
	Jobs    *jobs.Client
	BaseURL string // the service's address, for the links to report files
}
