package v1

import (
	"switchyard/api/answer"
	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// JobAnswer is a job: its state, and once it has finished the answer or the error of the call that started it.
type JobAnswer struct {
	route.JobState
	Result any             `json:"result" is:"result" doc:"the documented answer of the call; null until status is done"`
	Error  *envelope.Error `json:"error" doc:"why it failed; null otherwise"`
}

// jobRoutes are the rows of /jobs. Rows are those whose jobs GET /jobs/{id} shows.
func jobRoutes(d Deps, rows []route.Route) []route.Route {
	shows := map[string]*route.Slow{}
	for _, row := range rows {
		for _, job := range []*route.Slow{row.Slow, row.Starts} {
			if job != nil {
				shows[job.Kind] = job
			}
		}
	}
	return []route.Route{{
		Method: "GET", Path: "/jobs/{id}", Group: "Jobs", Summary: "state and answer of a call that went on as a job",
		Codes:  answer.IDCodes,
		Handle: route.Do(func(c *route.Call) (JobAnswer, error) { return d.findJob(c, shows) }),
	}}
}

// findJob looks among the rows of jobs, then among the jobs that live in the queue only. A job that no call starts has
// no result to show.
func (d Deps) findJob(c *route.Call, shows map[string]*route.Slow) (JobAnswer, error) {
	status, err := jobrow.Status(c.Context(), c.Store.Conn(), c.Account.ID, c.ID)
	if e, ok := models.AsError(err); ok && e.Kind == models.KindNotFound && d.Jobs != nil {
		status, err = d.Jobs.State(c.Context(), c.Account.ID, c.ID.String())
	}
	if err != nil {
		return JobAnswer{}, err
	}
	out := JobAnswer{JobState: route.JobState{
		ID: status.ID, Kind: status.Kind, Status: status.Status, URL: slow.URL(status.ID),
	}}
	if status.Error != nil {
		out.Error = &envelope.Error{Message: status.Error.Message, Code: status.Error.Code}
		return out, nil
	}
	if show := shows[status.Kind]; show != nil && status.Status == models.JobDone {
		out.Result, err = show.Show(status.Result)
	}
	return out, err
}
