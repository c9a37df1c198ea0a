package models

import "encoding/json"

// JobStatus is a job as GET /jobs/{id} shows it, whether it has a row or lives in the queue only.
type JobStatus struct {
	ID     string
	Kind   string
	Status string          // JobPending, JobRunning, JobDone or JobFailed
	Result json.RawMessage // of a done job
	Error  *Error          // why a job failed; internal_error if clients may not see it; result_dropped for a done job whose result is not kept
}

// MaxJobResult is the largest result of a job that is kept, in bytes.
const MaxJobResult = 8 << 20

// Finished reports whether the job is done or failed.
func (s JobStatus) Finished() bool { return s.Status == JobDone || s.Status == JobFailed }
