package api

import (
	"encoding/json"
	"reflect"
	"testing"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/jobs"
	"switchyard/models/await"
)

// TestLargeReports: a report that reads more clicks than a call may read is answered by a job, with the same figures.
func TestLargeReports(t *testing.T) {
	t.Parallel()
	x := newExportEnv(t)
	large := apitest.New(t, apitest.Options{
		DB: x.s.DB, V1: v1.Deps{Jobs: x.client, BaseURL: "https://track.example.com", LargeReport: 10},
	}).As(x.s.Key)
	decoded := func(raw json.RawMessage) (v any) {
		t.Helper()
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, path := range []string{
		"/reports/performance?dimension=campaign_id,country,city,sub1,browser_version",
		"/reports/performance?dimension=sub1&f.country=DE&f.country=US&f.sub1=",
		"/reports/values?dimension=sub1",
		"/reports/performance?dimension=hour,city&tz=Asia/Kathmandu&compare=previous&sort=-cost&limit=3",
		"/reports/trends?bucket=hour&tz=Asia/Kathmandu&x.city=Paris",
		"/stats/overview?x.city=Paris",
		"/stats/timeseries?x.city=Paris&tz=Europe/Berlin",
		"/stats/hourly?x.city=Nowhere",
	} {
		want := decoded(x.s.Do("GET", path, nil).Want(200, "").Data)
		var ref struct{ Job struct{ ID string } }
		large.Do("GET", path, nil, "Prefer", "respond-async").Want(202, "").Into(&ref)
		var job struct {
			Status string
			Result json.RawMessage
		}
		await.Until(t, "the report is done", func() bool {
			large.Do("GET", "/jobs/"+ref.Job.ID, nil).Want(200, "").Into(&job)
			return job.Status == "done"
		})
		if got := decoded(job.Result); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the job returns %v, want %v", path, got, want)
		}
		a := large.Do("GET", path, nil)
		for a.Status == 202 { // on a machine that is very slow
			a = large.Do("GET", path, nil)
		}
		if got := decoded(a.Want(200, "").Data); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the call after the job returns %v, want %v", path, got, want)
		}
	}
	for range jobs.StoredReports {
		large.Do("GET", "/reports/values?dimension=sub1", nil)
	}
	await.Until(t, "old answers are deleted", func() bool {
		var n int
		const q = `SELECT count(*) FROM jobs WHERE account_id = $1 AND kind = $2 AND state = 'done'`
		if err := x.s.DB.GetContext(t.Context(), &n, q, x.s.Account.ID, jobs.ReadValues.Kind()); err != nil {
			t.Fatal(err)
		}
		return n <= jobs.StoredReports
	})
	large.Do("GET", "/reports/performance?dimension=campaign_id", nil, "Prefer", "respond-async").Want(200, "")
}
