package v1_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/db/jobrow"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

func TestSlowCalls(t *testing.T) {
	t.Parallel()
	rec, client := jobstest.New()
	deps := v1.Deps{Jobs: client}
	s := apitest.New(t, apitest.Options{V1: deps, Extra: v1.ProbeRoutes(deps)})

	// No worker runs yet. A call with respond-async among its preferences does not wait.
	type jobRef struct {
		Job struct{ ID, Kind, Status, URL string }
	}
	var ref jobRef
	s.Do("POST", "/probe", nil, "Prefer", "wait=5, respond-async").Want(202, "").Into(&ref)
	if ref.Job.Kind != "probe:echo" || ref.Job.Status != "pending" || ref.Job.URL != "/api/v1/jobs/"+ref.Job.ID {
		t.Errorf("want a pending job and its address: %+v", ref)
	}
	if j := s.Do("GET", "/jobs/"+ref.Job.ID, nil).Want(200, "").Map(); j["status"] != "pending" || j["result"] != nil {
		t.Errorf("want a pending job without a result: %v", j)
	}
	_, foreign, _ := s.NewAccount("scale")
	s.As(foreign).Do("GET", "/jobs/"+ref.Job.ID, nil).Want(404, "not_found")
	s.Do("GET", "/jobs/"+uuid.NewString(), nil).Want(404, "not_found")
	s.Do("GET", "/jobs/x", nil).Want(400, "invalid_id")
	s.As(s.ReadKey).Do("POST", "/probe", nil, "Prefer", "respond-async").Want(403, "read_only_key")

	// A call with a repeated Idempotency-Key gets the same job.
	var one, two jobRef
	s.Do("POST", "/probe", nil, "Prefer", "respond-async", "Idempotency-Key", "k").Want(202, "").Into(&one)
	s.Do("POST", "/probe", nil, "Prefer", "respond-async", "Idempotency-Key", "k").Want(202, "").Into(&two)
	if one != two || len(rec.Tasks("probe:echo")) != 2 {
		t.Errorf("the calls got the jobs %+v and %+v, and there are %d tasks, want the same job and 2 tasks", one, two, len(rec.Tasks("")))
	}

	jobstest.Answer(rec, v1.ProbeJob, func(_ uuid.UUID, a v1.ProbeArgs) (v1.ProbeResult, error) {
		return v1.ProbeResult{Echo: a.Text}, nil
	})
	if m := s.Do("POST", "/probe", nil).Want(200, "").Map(); m["echo"] != "hello" {
		t.Errorf("the answer is %v, want the echo of hello", m)
	}
	done := rec.Tasks("probe:echo")[2].ID
	if m := s.Do("GET", "/jobs/"+done, nil).Want(200, "").Map(); fmt.Sprint(m["result"]) != "map[echo:hello]" {
		t.Errorf("the job is %v, want the result hello", m)
	}

	// The error of this job is not stored for repeated calls, so the next try runs it again.
	jobstest.Answer(rec, v1.ProbeJob, func(uuid.UUID, v1.ProbeArgs) (v1.ProbeResult, error) {
		return v1.ProbeResult{}, models.Errorf(models.KindBadGateway, "network_error", "they said no")
	})
	before := len(rec.Tasks(""))
	for range 2 {
		s.Do("POST", "/probe", nil, "Idempotency-Key", "fails").Want(502, "network_error")
	}
	if n := len(rec.Tasks("")) - before; n != 2 {
		t.Errorf("%d tasks, want 2", n)
	}
	failed := rec.Tasks("")[before].ID
	if m := s.Do("GET", "/jobs/"+failed, nil).Want(200, "").Map(); m["status"] != "failed" ||
		fmt.Sprint(m["error"]) != "map[code:network_error message:they said no]" {
		t.Errorf("the job is %v, want it failed with network_error", m)
	}
	rec.Break(fmt.Errorf("no Redis"))
	s.Do("POST", "/probe", nil).Want(503, "unavailable")
}

func TestRowJobs(t *testing.T) {
	t.Parallel()
	_, client := jobstest.New()
	deps := v1.Deps{Jobs: client}
	s := apitest.New(t, apitest.Options{V1: deps, Extra: v1.ProbeRoutes(deps)})
	row, err := v1.ProbeRowJob.NewRow(s.Account.ID, v1.ProbeArgs{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if err := jobrow.Insert(t.Context(), s.DB, row); err != nil {
		t.Fatal(err)
	}
	path := "/probe-row?id=" + row.ID.String()
	s.Do("POST", path, nil, "Prefer", "respond-async").Want(202, "")
	if m := s.Do("GET", "/jobs/"+row.ID.String(), nil).Want(200, "").Map(); m["status"] != "pending" {
		t.Errorf("the job is %v, want it pending", m)
	}
	const finish = `UPDATE jobs SET state = 'done', result = '{"Echo": "row"}' WHERE id = $1`
	_, err = s.DB.ExecContext(t.Context(), finish, row.ID)
	if err != nil {
		t.Fatal(err)
	}
	if m := s.Do("POST", path, nil).Want(200, "").Map(); m["echo"] != "row" {
		t.Errorf("the answer is %v, want the result of the row", m)
	}
	if m := s.Do("GET", "/jobs/"+row.ID.String(), nil).Want(200, "").Map(); fmt.Sprint(m["result"]) != "map[echo:row]" {
		t.Errorf("the job is %v, want the result with the echo row", m)
	}

	// Jobs are listed only if calls can start jobs of their kind.
	const other = `INSERT INTO jobs (id, account_id, kind, created_at) VALUES ($1, $2, $3, now() + $4::interval)`
	newest := uuid.New()
	for _, job := range [][]any{{newest, s.Account.ID, row.Kind, "1 minute"}, {uuid.New(), s.Account.ID, models.KindSendPostback, "2 minutes"}} {
		dbtest.Exec(t, s.DB, other, job...)
	}
	list := s.As(s.ReadKey).Do("GET", "/jobs", nil).Want(200, "").Map()["rows"].([]any)
	if len(list) != 2 || list[0].(object)["id"] != newest.String() || list[1].(object)["status"] != "done" || list[1].(object)["id"] != row.ID.String() {
		t.Errorf("want the two jobs of a kind that calls can start, newest first: %v", list)
	}
	_, foreign, _ := s.NewAccount("scale")
	if list := s.As(foreign).Do("GET", "/jobs", nil).Want(200, "").Map()["rows"].([]any); len(list) != 0 {
		t.Errorf("another account sees %v", list)
	}
}
