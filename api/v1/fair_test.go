package v1_test

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/route"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/jobs"
	"switchyard/models"
	"switchyard/models/await"
)

// heldReports delays an account's reports with more than one dimension until the gate opens.
type heldReports struct {
	v1.ReportReader
	account uuid.UUID
	entered chan struct{}
	gate    chan struct{}
}

func (h *heldReports) Answer(ctx context.Context, account uuid.UUID, a models.ReportArgs, maxClicks int64) ([]report.Row, error) {
	if account == h.account && len(a.Dimensions) > 1 {
		h.entered <- struct{}{}
		<-h.gate
	}
	return h.ReportReader.Answer(ctx, account, a, maxClicks)
}

// TestParallelReports: of 60 reports that an account requests at once, two run and the others are refused. Another account's
// calls and reports run.
func TestParallelReports(t *testing.T) {
	t.Parallel()
	const calls = 60
	d := dbtest.New(t)
	held := &heldReports{
		ReportReader: report.Reader{Conn: d}, entered: make(chan struct{}, calls), gate: make(chan struct{}),
	}
	s := apitest.New(t, apitest.Options{DB: d, V1: v1.Deps{Reports: held}})
	_, other, _ := s.NewAccount("scale")
	held.account = s.Account.ID
	const path = "/reports/performance?dimension=campaign_id,country,device_type,os,browser"
	answers := make(chan apitest.Answer, calls)
	var all sync.WaitGroup
	for range calls {
		all.Go(func() { answers <- s.Do("GET", path, nil) })
	}
	for range route.Reads.Running {
		await.Recv(t, held.entered)
	}
	for range calls - route.Reads.Running {
		a := await.Recv(t, answers).Want(429, "rate_limited")
		if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 {
			t.Errorf("Retry-After is %q, want a number of seconds", a.Header.Get("Retry-After"))
		}
		s.As(other).Do("GET", "/plan", nil).Want(200, "")
		s.As(other).Do("GET", path, nil).Want(200, "")
	}
	for range calls {
		all.Go(func() { answers <- s.Do("GET", path, nil) })
	}
	const window = "?from=2026-01-01&to=2026-01-02"
	for _, path := range []string{
		"/plan", "/plan/usage", "/tools/routing", "/campaigns", "/networks" + window, "/offers", "/short-links",
	} {
		s.Do("GET", path, nil).Want(200, "")
	}
	for range calls {
		await.Recv(t, answers).Want(429, "rate_limited")
	}
	if n := len(held.entered); n > 0 {
		t.Errorf("%d refused reports of the account ran all the same", n)
	}
	close(held.gate)
	all.Wait()
	for range route.Reads.Running {
		await.Recv(t, answers).Want(200, "")
	}
	s.Do("GET", path, nil).Want(200, "")
}

// TestOpenJobs: an account may have as many waiting or running jobs as its plan allows.
func TestOpenJobs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	_, other, _ := s.NewAccount("growth")
	plan, _ := models.PlanNamed("growth")
	export := func(s *apitest.Server, headers ...string) apitest.Answer {
		return s.Do("POST", "/reports/exports", nil, append(headers, "Prefer", "respond-async")...)
	}
	var all sync.WaitGroup
	statuses := make(chan int, 3*plan.OpenJobs)
	for range cap(statuses) {
		all.Go(func() { statuses <- export(s).Status })
	}
	all.Wait()
	close(statuses)
	answers := map[int]int{}
	for status := range statuses {
		answers[status]++
	}
	if answers[202] != plan.OpenJobs || answers[402] != 2*plan.OpenJobs {
		t.Errorf("number of answers by status: %v, want one third 202 and the others 402", answers)
	}
	export(s.As(other)).Want(202, "")
	s.Do("POST", "/corrections/cost", map[string]any{"csv": "date,source,cost\n2026-01-01,A,1"}, "Prefer", "respond-async").
		Want(402, "plan_limit")
	dbtest.Exec(t, s.DB, `UPDATE jobs SET state = 'failed' WHERE id IN (SELECT id FROM jobs WHERE account_id = $1 LIMIT 1)`, s.Account.ID)
	for range 2 { // a repeated call gets the same job
		export(s, "Idempotency-Key", "k").Want(202, "")
	}
	export(s).Want(402, "plan_limit")
}

// TestStoredExports: stored files and files in progress take together at most the bytes that the plan allows.
func TestStoredExports(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth"})
	plan, _ := models.PlanNamed("growth")
	export := func() apitest.Answer { return s.Do("POST", "/reports/exports", nil, "Prefer", "respond-async") }
	const add = `INSERT INTO exports (id, account_id, kind, name, row_count, byte_size, created_at, fence)
		VALUES ($1, $2, 'clicks', 'n', 1, $3, now(), 1)`
	id := uuid.New()
	dbtest.Exec(t, s.DB, add, id, s.Account.ID, plan.ExportBytes-2*models.MaxExportBytes)
	for range 2 {
		export().Want(202, "")
	}
	export().Want(402, "plan_limit")
	dbtest.Exec(t, s.DB, `DELETE FROM exports WHERE id = $1`, id)
	export().Want(202, "")
}

// TestShortCallsAreShared: of ten calls that an account sends at once, four run and the others wait. A call of another account
// runs, and so does a call of this account to a route with another share (see route.Share).
func TestShortCallsAreShared(t *testing.T) {
	t.Parallel()
	const calls = 10
	entered, gate := make(chan struct{}, calls), make(chan struct{})
	s := apitest.New(t, apitest.Options{Extra: []route.Route{{
		Method: "GET", Path: "/held", Handle: route.Handle(func(*route.Call) (string, error) {
			entered <- struct{}{}
			<-gate
			return "", nil
		}),
	}}})
	_, other, _ := s.NewAccount("scale")
	answers := make(chan apitest.Answer, calls)
	for range calls {
		go func() { answers <- s.Do("GET", "/held", nil) }()
	}
	for range route.Calls.Running {
		await.Recv(t, entered)
	}
	s.As(other).Do("GET", "/plan", nil).Want(200, "")
	s.Do("GET", "/plan/usage", nil).Want(200, "") // the share Lists
	if n := len(entered); n > 0 {
		t.Errorf("%d further calls ran, although only %d may run at once", n, route.Calls.Running)
	}
	close(gate)
	for range calls {
		await.Recv(t, answers).Want(200, "")
	}
	s.Do("GET", "/plan", nil).Want(200, "")
}

// TestLargeReportsAreShared: calls of an account that request the same large report wait for the same job.
func TestLargeReportsAreShared(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{Plan: "growth", V1: v1.Deps{LargeReport: -1}})
	_, other, _ := s.NewAccount("growth")
	plan, _ := models.PlanNamed("growth")
	request := func(s *apitest.Server, path string) apitest.Answer {
		return s.Do("GET", "/reports/"+path+"&from=2026-01-01&to=2026-01-31", nil, "Prefer", "respond-async")
	}
	seen := map[string]bool{}
	for _, c := range []struct {
		of   *apitest.Server
		path string
	}{
		{s, "performance?dimension=sub1"},
		{s, "performance?dimension=sub1"},
		{s, "values?dimension=sub1"},
		{s.As(other), "performance?dimension=sub1"},
	} {
		var ref struct{ Job struct{ ID string } }
		request(c.of, c.path).Want(202, "").Into(&ref)
		seen[ref.Job.ID] = true
	}
	if len(seen) != 3 {
		t.Errorf("%d jobs, want 3", len(seen))
	}
	for i := 2; i < plan.OpenJobs; i++ {
		request(s, "performance?dimension=sub1&f.sub2="+strconv.Itoa(i)).Want(202, "")
	}
	request(s, "performance?dimension=sub3").Want(402, "plan_limit")
	request(s, "performance?dimension=sub1").Want(202, "")
}

// TestWebhookTestsInFlight: of 80 webhook tests that an account sends at once, four are in progress and the others are refused.
// Another account's tests are accepted.
func TestWebhookTestsInFlight(t *testing.T) {
	t.Parallel()
	s := apitest.New(t) // it has no workers, so no webhook test ends
	_, key, _ := s.NewAccount("scale")
	test := func(s *apitest.Server) func() apitest.Answer {
		body := map[string]any{"url": "https://example.com/hook", "events": []string{"campaign.paused"}}
		var hook struct{ ID string }
		s.Do("POST", "/webhooks", body).Want(201, "").Into(&hook)
		id := map[string]any{"id": hook.ID}
		return func() apitest.Answer { return s.Do("POST", "/webhooks/test", id, "Prefer", "respond-async") }
	}
	mine, other := test(s), test(s.As(key))
	var all sync.WaitGroup
	answers := make(chan apitest.Answer, 80)
	for range cap(answers) {
		all.Go(func() { answers <- mine() })
	}
	under := 0
	for range cap(answers) {
		a := await.Recv(t, answers)
		if a.Status == 202 {
			under++
			other().Want(202, "")
			continue
		}
		a.Want(429, "rate_limited")
	}
	all.Wait()
	if n := len(s.Jobs.Tasks(jobs.TestWebhook.Kind())); under != route.Sends.Running || n != 2*under {
		t.Errorf("%d tests of this account are in progress, and both accounts have %d jobs in all, want 4 and 8", under, n)
	}
}
