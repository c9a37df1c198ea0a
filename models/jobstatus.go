package models

import "encoding/json"

// JobStatus is the state of a job. Both a job with a row and a job that exists only in the queue have one.
type JobStatus struct {
	ID     string
	Kind   string
	Status string // JobPending, JobRunning, JobDone or JobFailed
	Result json.RawMessage
	// Error says why the job failed. Its code is internal_error if clients must not see the reason. Its code is result_dropped
	// if the job is done but its result is not kept.
	Error *Error
}

// MaxJobResult is the maximum size of a job's result that is kept, in bytes.
const MaxJobResult = 8 << 20

// Finished reports whether the job is done or failed.
func (s JobStatus) Finished() bool { return s.Status == JobDone || s.Status == JobFailed }
