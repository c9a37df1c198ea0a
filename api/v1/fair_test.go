package v1_test

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/api/route"
	"switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/db/report"
	"switchyard/models/await"
)

// heldReports holds the reports of one account until the gate opens.
type heldReports struct {
	v1.ReportReader
	account uuid.UUID
	entered chan struct{}
	gate    chan struct{}
}

func (h *heldReports) Performance(ctx context.Context, q report.Query) ([]report.Row, error) {
	if q.AccountID == h.account {
		h.entered <- struct{}{}
		<-h.gate
	}
	return h.ReportReader.Performance(ctx, q)
}

// TestParallelReports: of 60 reports of an account at once two run, some wait and the others are refused. Meanwhile
// another account's calls and reports run.
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
	for range calls - route.Reads.Running { // none of them ever runs while the gate is closed
		a := await.Recv(t, answers).Want(429, "rate_limited")
		if n, err := strconv.Atoi(a.Header.Get("Retry-After")); err != nil || n < 1 {
			t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
		}
		s.As(other).Do("GET", "/plan", nil).Want(200, "")
		s.As(other).Do("GET", path, nil).Want(200, "")
	}
	s.Do("GET", "/plan", nil).Want(200, "")
	if n := len(held.entered); n > 0 {
		t.Errorf("%d more reports of the account ran", n)
	}
	close(held.gate)
	all.Wait()
	for range route.Reads.Running {
		await.Recv(t, answers).Want(200, "")
	}
	s.Do("GET", path, nil).Want(200, "")
}
