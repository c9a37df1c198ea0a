package models

import "encoding/json"

// JobStatus is a job in the form that GET /jobs/{id} returns, whether the job has a row or exists only in the queue.
type JobStatus struct {
	ID     string
	Kind   string
	Status string          // JobPending, JobRunning, JobDone or JobFailed
	Result json.RawMessage // the result of a done job
	Error  *Error          // why the job failed; internal_error: not for clients; result_dropped: done, but the result is not kept
}

// MaxJobResult is the maximum size of a job's result that is kept, in bytes.
const MaxJobResult = 8 << 20

// Finished reports whether the job is done or failed.
func (s JobStatus) Finished() bool { return s.Status == JobDone || s.Status == JobFailed }
