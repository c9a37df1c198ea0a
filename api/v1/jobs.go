package v1

import (
	"encoding/json"
	"maps"
	"slices"

	"switchyard/api/answer"
	"switchyard/api/envelope"
	"switchyard/api/route"
	"switchyard/api/slow"
	"switchyard/db/jobrow"
	"switchyard/models"
)

// JobAnswer is the state of a job, with the answer or the error of its call once it has finished.
type JobAnswer struct {
	route.JobState
	Result any             `json:"result" is:"result" doc:"the documented answer of the call; null until status is done"`
	Error  *envelope.Error `json:"error" doc:"why the job failed; with the code result_dropped, the job is done but its result is no longer stored; otherwise null"`
}

// jobRoutes returns the routes of /jobs. The parameter rows has the routes whose jobs they list and whose results they show.
func jobRoutes(d Deps, rows []route.Route) []route.Route {
	slowByKind := map[string]*route.Slow{}
	for _, row := range rows {
		for _, job := range []*route.Slow{row.Slow, row.Starts} {
			if job != nil {
				slowByKind[job.Kind] = job
			}
		}
	}
	kinds := slices.Sorted(maps.Keys(slowByKind))
	return []route.Route{
		route.New("GET", "/jobs", "Jobs", "the last jobs that calls of the account started, newest first",
			route.Handle(func(c *route.Call) (JobList, error) { return listJobs(c, kinds) })),
		route.New("GET", "/jobs/{id}", "Jobs", "the state of a job, and the answer of the call that started the job",
			route.Handle(func(c *route.Call) (JobAnswer, error) { return d.findJob(c, slowByKind) }), answer.IDCodes),
	}
}

// JobList lists the last jobs of an account.
type JobList struct {
	Rows []JobRow `json:"rows" doc:"at most 200"`
}

// JobRow is a job without its answer. Jobs that exist only in the queue are not listed.
type JobRow struct {
	route.JobState
	CreatedAt  string          `json:"created_at"`
	FinishedAt *string         `json:"finished_at"`
	Error      *envelope.Error `json:"error" doc:"why the job failed; null: it has not failed"`
}

const listedJobs = 200

func listJobs(c *route.Call, kinds []string) (JobList, error) {
	list, err := jobrow.ListRequested(c.Context(), c.Store.Conn(), c.Account.ID, kinds, listedJobs)
	return JobList{answer.Each(list, func(j models.Job) JobRow {
		row := JobRow{
			JobState:  slow.State(j.ID.String(), j.Kind, j.State),
			CreatedAt: answer.Stamp(j.CreatedAt), FinishedAt: answer.StampOrNull(j.FinishedAt),
		}
		var e models.Error
		if j.State == models.JobFailed && json.Unmarshal(j.Error, &e) == nil {
			row.Error = &envelope.Error{Message: e.Message, Code: e.Code}
		}
		return row
	})}, err
}

func isNotFound(err error) bool {
	e, ok := models.AsError(err)
	return ok && e.Kind == models.KindNotFound
}

// findJob looks in the table of jobs, then in the queue. Only jobs that calls start have a result.
func (d Deps) findJob(c *route.Call, slowByKind map[string]*route.Slow) (JobAnswer, error) {
	status, err := jobrow.Status(c.Context(), c.Store.Conn(), c.Account.ID, c.ID)
	if isNotFound(err) && d.Jobs != nil {
		status, err = d.Jobs.State(c.Context(), c.Account.ID, c.ID.String())
	}
	if err != nil {
		return JobAnswer{}, err
	}
	out := JobAnswer{JobState: slow.State(status.ID, status.Kind, status.Status)}
	if status.Error != nil {
		out.Error = &envelope.Error{Message: status.Error.Message, Code: status.Error.Code}
		return out, nil
	}
	if job := slowByKind[status.Kind]; job != nil && status.Status == models.JobDone {
		out.Result, err = job.Render(status.Result)
	}
	return out, err
}
