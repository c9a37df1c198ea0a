package v1_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"switchyard/api/apitest"
	v1 "switchyard/api/v1"
	"switchyard/db/dbtest"
	"switchyard/db/store"
	"switchyard/jobs"
	"switchyard/jobs/jobstest"
	"switchyard/models"
)

// TestCertificates: a call for a certificate answers what the edge says. The answer to pointing a domain also has the state of its
// certificate.
func TestCertificates(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Edge: models.EdgeCloudflare, Tracker: models.DomainTracker{Host: "track.sy.example", OwnTargets: true}}})
	mine := addDomain(t, s, "mine.example")
	path := "/domains/" + mine + "/certificate"
	ends := time.Now().UTC().Add(90 * 24 * time.Hour).Truncate(time.Millisecond)
	state := models.CertificateState{
		ExternalID: "x1", SSLStatus: models.SSLPendingValidation, Detail: "d", Errors: []string{"no CNAME"}, ExpiresAt: &ends,
		Ownership:     &models.CertificateRecord{Type: "txt", Name: "_cf.mine.example", Value: "v"},
		OwnershipHTTP: &models.CertificatePage{URL: "http://mine.example/x", Body: "b"},
	}
	var refusal error
	answer := func(account uuid.UUID, a jobs.CertificateArgs) (jobs.Certificate, error) {
		if account != s.Account.ID || a.Domain.String() != mine {
			t.Errorf("the job is for the domain %s of the account %s, want the test's domain and account", a.Domain, account)
		}
		return jobs.Certificate{Host: "mine.example", CertificateState: state}, refusal
	}
	jobstest.Answer(s.Jobs, jobs.RequestCertificate, answer)
	jobstest.Answer(s.Jobs, jobs.ReadCertificate, answer)
	jobstest.Answer(s.Jobs, jobs.ReleaseCertificate, func(uuid.UUID, jobs.CertificateArgs) (jobs.ReleasedCertificate, error) {
		return jobs.ReleasedCertificate{Deleted: true, Detail: "gone"}, refusal
	})
	want := map[string]any{
		"hostname": "mine.example", "ssl_status": "pending_validation", "serving": false, "detail": "d", "errors": "[no CNAME]",
		"ownership": "map[name:_cf.mine.example type:txt value:v]", "expires_at": ends.Format(models.EventTimeFormat),
		"ownership_http": "map[http_body:b http_url:http://mine.example/x]",
	}
	same(t, s.Do("POST", path, nil).Want(201, "").Map(), want)
	same(t, s.As(s.ReadKey).Do("GET", path, nil).Want(200, "").Map(), want)
	same(t, s.Do("DELETE", path, nil).Want(200, "").Map(), map[string]any{"deleted": true, "detail": "gone"})
	state = models.CertificateState{SSLStatus: models.SSLNone}
	same(t, s.Do("GET", path, nil).Want(200, "").Map(), map[string]any{
		"ssl_status": "none", "errors": "[]", "ownership": nil, "ownership_http": nil, "expires_at": nil,
	})
	refusal = models.EdgeError("1405", "Quota exceeded.")
	for _, method := range []string{"GET", "POST", "DELETE"} {
		s.Do(method, path, nil).Want(502, "edge_1405")
		s.Do(method, "/domains/"+uuid.NewString()+"/certificate", nil).Want(404, "not_found")
	}
	s.As(s.ReadKey).Do("DELETE", path, nil).Want(403, "read_only_key")

	s.Do("PUT", "/integrations", rfc2136(nil)).Want(200, "")
	active := models.CertificateState{SSLStatus: models.SSLActive, Serving: true}
	jobstest.Answer(s.Jobs, jobs.PointDomain, func(uuid.UUID, jobs.PointDomainArgs) (jobs.PointedDomain, error) {
		return jobs.PointedDomain{
			Provider: "rfc2136", DNSPoint: models.DNSPoint{OK: true},
			Certificate: &jobs.Certificate{Host: "mine.example", CertificateState: active},
		}, nil
	})
	pointed := s.Do("POST", "/domains/"+mine+"/point", nil).Want(200, "").Map()
	same(t, pointed["certificate"].(map[string]any), map[string]any{"hostname": "mine.example", "ssl_status": "active", "serving": true})
	tasks := s.Jobs.Tasks(jobs.PointDomain.Kind())
	later := s.Do("GET", "/jobs/"+tasks[len(tasks)-1].ID, nil).Want(200, "").Map()
	if fmt.Sprint(later["result"]) != fmt.Sprint(pointed) {
		t.Errorf("GET /jobs shows the result %v, but the call answered %v", later["result"], pointed)
	}
}

// begin records an active certificate of a domain. The certificate expires in 90 days. The parameter `state` has
// the other fields of the certificate.
func begin(t *testing.T, s *apitest.Server, domain string, state models.CertificateState) {
	t.Helper()
	of := store.CertificateOf{AccountID: s.Account.ID, DomainID: uuid.MustParse(domain)}
	now := time.Now()
	if err := s.Store.Certificates().Request(t.Context(), of, models.EdgeCloudflare, now); err != nil {
		t.Fatal(err)
	}
	held, ok, err := s.Store.Certificates().Begin(t.Context(), of, now, time.Minute, true)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	ends := now.Add(90 * 24 * time.Hour)
	held.CertificateState = state
	held.ExternalID, held.SSLStatus, held.Serving, held.ExpiresAt = "x1", models.SSLActive, true, &ends
	if ok, err := s.Store.Certificates().Finish(t.Context(), held, now, nil); err != nil || !ok {
		t.Fatal(ok, err)
	}
}

// TestCertificateAlerts: a certificate that expires soon or cannot be obtained raises an alert. Deleting the domain releases the
// certificate.
func TestCertificateAlerts(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, apitest.Options{V1: v1.Deps{Edge: models.EdgeCloudflare}})
	id := addDomain(t, s, "mine.example")
	same(t, rowOf(t, s, "/domains", id), map[string]any{"ssl_status": "none", "certificate_expires_at": nil})
	begin(t, s, id, models.CertificateState{})
	if row := rowOf(t, s, "/domains", id); row["ssl_status"] != "active" || row["certificate_expires_at"] == nil {
		t.Errorf("want an active certificate with the time at which it expires: %v", row)
	}
	alerts := func() []any {
		t.Helper()
		return s.Do("GET", "/alerts", nil).Want(200, "").Map()["alerts"].([]any)
	}
	if got := alerts(); len(got) != 0 {
		t.Errorf("a new certificate raises the alerts %v", got)
	}
	dbtest.Exec(t, s.DB, `UPDATE certificates SET expires_at = now() + interval '13 days'`)
	if got := alerts(); len(got) != 1 {
		t.Fatalf("want one alert 13 days before the certificate expires: %v", got)
	}
	same(t, alerts()[0].(map[string]any), map[string]any{
		"type": "certificate.expiring", "severity": "warning", "kind": "domain", "id": id, "name": "mine.example",
	})
	dbtest.Exec(t, s.DB, `UPDATE certificates SET expires_at = now() + interval '1 day', failure = 'edge_1405: full', attempts = 9`)
	got := alerts()[0].(map[string]any)
	if got["severity"] != "critical" || !strings.HasSuffix(got["message"].(string), ": edge_1405: full") {
		t.Errorf("want a critical alert with the failure edge_1405: %v", got)
	}
	dbtest.Exec(t, s.DB, `UPDATE certificates SET expires_at = NULL, serving = false, failing_since = now(), attempts = 2`)
	if got := alerts(); len(got) != 0 {
		t.Errorf("there are alerts after two failed attempts, want none before the third: %v", got)
	}
	dbtest.Exec(t, s.DB, `UPDATE certificates SET attempts = 3`)
	same(t, alerts()[0].(map[string]any), map[string]any{
		"type": "certificate.failing", "severity": "critical", "kind": "domain", "id": id,
		"message": "its HTTPS certificate could not be obtained: edge_1405: full",
	})
	_, otherKey, _ := s.NewAccount("scale")
	if other := s.As(otherKey).Do("GET", "/alerts", nil).Want(200, "").Map(); other["count"] != 0.0 {
		t.Errorf("another account sees %v", other)
	}
	gone := s.Do("DELETE", "/domains?id="+id, nil).Want(200, "").Map()
	same(t, gone, map[string]any{"deleted": true, "certificate_released": true})
	var args []string
	err := s.DB.SelectContext(t.Context(), &args, `SELECT args::text FROM jobs WHERE kind = $1 AND state = 'pending'`, jobs.ReleaseAtEdge.Kind())
	if err != nil || len(args) != 1 || !strings.Contains(fmt.Sprint(args), `"external_id": "x1"`) || len(alerts()) != 0 {
		t.Errorf("want one job that releases the certificate x1, and no alerts: %v (%v)", args, err)
	}
}
