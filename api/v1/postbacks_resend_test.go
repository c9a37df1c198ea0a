package v1_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	"switchyard/db/dbtest"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
)

// TestResendFailedPostbacks checks the arguments of the job and the error codes of the call.
func TestResendFailedPostbacks(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	const path = "/logs/postbacks/redeliver-failed"
	id := s.Do("POST", "/traffic-sources", source("Deaf")).Want(201, "").Map()["id"]
	jobstest.Answer(s.Jobs, jobs.ResendFailed, func(account uuid.UUID, a jobs.ResendFailedArgs) (jobs.RedeliverFailedAnswer, error) {
		if account != s.Account.ID || a.Source.String() != id || !a.To.Equal(time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)) {
			t.Errorf("the job has other arguments than the call: account %s, %+v", account, a)
		}
		return jobs.RedeliverFailedAnswer{From: a.From, To: a.To, Requeued: 7}, nil
	})
	got := s.Do("POST", path+"?from=2026-03-01&to=2026-03-02", map[string]any{"source": id}).Want(200, "").Map()
	same(t, got["range"].(map[string]any), map[string]any{"from": "2026-03-01 00:00:00", "to": "2026-03-02 23:59:59"})
	if got["requeued"] != 7.0 {
		t.Errorf("want the 7 postbacks of the job's result: %v", got)
	}
	s.Do("POST", path+"?from=x", map[string]any{}).Want(400, "invalid_input")
	s.Do("POST", path, map[string]any{"source": "x"}).Want(400, "invalid_id")
	s.Do("POST", path, map[string]any{"source": uuid.NewString()}).Want(404, "not_found")
	_, otherKey, _ := s.NewAccount("scale")
	s.As(otherKey).Do("POST", path, map[string]any{"source": id}).Want(404, "not_found")
	s.As(s.ReadKey).Do("POST", path, nil).Want(403, "read_only_key")
}

// TestPostbacksByTransaction: the log can be searched by the network's id of a conversion, in any parameter, and by our own id.
func TestPostbacksByTransaction(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	conversion := uuid.New()
	for params, id := range map[string]uuid.UUID{`{"txid": "T 1"}`: conversion, `{"order": "T 1", "payout": "2"}`: uuid.Nil, `{"txid": "T 12"}`: uuid.Nil, `null`: uuid.Nil} {
		dbtest.Exec(t, s.DB, `INSERT INTO postbacks (id, account_id, network_id, source, domain, params, received_at, outcome, conversion_id)
			VALUES ($1, $2, $3, 'postback', '', $4, now(), 'unmatched', $5)`, uuid.Must(uuid.NewV7()), s.Account.ID, uuid.Nil, params, id)
	}
	for _, direction := range []string{"in", "out"} {
		s.Do("GET", "/logs/postbacks?conversion=x&direction="+direction, nil).Want(400, "invalid_id")
		s.Do("GET", "/logs/postbacks?transaction="+strings.Repeat("x", 256)+"&direction="+direction, nil).Want(400, "invalid_input")
	}
	for query, want := range map[string]int{"": 4, "transaction=T%201": 2, "transaction=T": 0, "conversion=" + conversion.String(): 1, "conversion=all": 4} {
		if rows := s.Do("GET", "/logs/postbacks?"+query, nil).Want(200, "").Map()["rows"].([]any); len(rows) != want {
			t.Errorf("%s: %d rows, want %d: %v", query, len(rows), want, fmt.Sprint(rows...))
		}
	}
}
