package switchyard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	switchyard "switchyard/api/clients/go"
)

// service answers each call with the next of the answers, and records the calls. It repeats the last answer.
type service struct {
	answers []string // "429 3" stands for the status 429 with Retry-After: 3
	calls   []string
	keys    []string
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.calls = append(s.calls, r.Method+" "+r.URL.RequestURI())
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	status, rest := 200, answer
	if !strings.HasPrefix(answer, "{") {
		var after string
		_, _ = fmt.Sscan(answer, &status, &after)
		w.Header().Set("Retry-After", after)
		rest = `{"data":null,"error":{"code":"rate_limited","message":"slower"}}`
	}
	if strings.Contains(answer, `"job"`) {
		status = http.StatusAccepted
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(rest))
}

func start(t *testing.T, answers ...string) (*service, *switchyard.Client) {
	t.Helper()
	s := &service{answers: answers}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, switchyard.New(server.URL+"/", "sy_f_test")
}

// TestPages: a list is read to its end by the cursor, and a log by the offset.
func TestPages(t *testing.T) {
	t.Parallel()
	s, c := start(t, `{"data":{"rows":[{"name":"a"},{"name":"b"}],"next_cursor":"x y"}}`, `{"data":{"rows":[{"name":"c"}],"next_cursor":null}}`)
	var names []string
	for row, err := range c.AllOffers(t.Context(), switchyard.ListOffersParams{Tag: "push"}) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, row.Name)
	}
	if want := []string{"GET /api/v1/offers?tag=push", "GET /api/v1/offers?cursor=x+y&tag=push"}; !slices.Equal(s.calls, want) ||
		strings.Join(names, "") != "abc" {
		t.Errorf("rows %v by %q, want %q", names, s.calls, want)
	}

	s, c = start(t, `{"data":{"rows":[{"click_id":"1"},{"click_id":"2"}]}}`, `{"data":{"rows":[{"click_id":"3"}]}}`)
	n := 0
	params := switchyard.ListClicksParams{Limit: 2, Only: switchyard.Filters{"country": {"DE", "AT"}}}
	for _, err := range c.AllClicks(t.Context(), params) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	want := []string{"GET /api/v1/logs/clicks?f.country=DE&f.country=AT&limit=2", "GET /api/v1/logs/clicks?f.country=DE&f.country=AT&limit=2&offset=2"}
	if n != 3 || !slices.Equal(s.calls, want) {
		t.Errorf("%d rows by %q, want 3 by %q", n, s.calls, want)
	}
}

// TestRefusedListEnds: the iterator gives the error of a page and ends.
func TestRefusedListEnds(t *testing.T) {
	t.Parallel()
	_, c := start(t, "402 0")
	var errs []error
	for _, err := range c.AllOffers(t.Context(), switchyard.ListOffersParams{}) {
		errs = append(errs, err)
	}
	if len(errs) != 1 || switchyard.Code(errs[0]) != "rate_limited" {
		t.Errorf("errors %v, want rate_limited once", errs)
	}
}

// TestTriesAgain: the client repeats a POST that the service refuses for now, with the same idempotency key. It does not repeat a
// call if the service asks for a wait longer than Longest: the error tells the caller how long to wait. It does not repeat a PATCH
// that got no answer, because the service may have carried it out.
func TestTriesAgain(t *testing.T) {
	t.Parallel()
	s, c := start(t, "429 1", `{"data":{"id":"1","name":"Shoes"}}`)
	made, err := c.CreateOffer(t.Context(), switchyard.OfferBody{Name: "Shoes"})
	if err != nil || made.Name != "Shoes" {
		t.Fatalf("the offer is created as %+v, want the name Shoes, error %v", made, err)
	}
	if len(s.keys) != 2 || s.keys[0] == "" || s.keys[0] != s.keys[1] {
		t.Errorf("idempotency keys %q, want one key twice", s.keys)
	}

	s, c = start(t, "503 90")
	_, err = c.GetPlan(t.Context())
	var refused *switchyard.APIError
	if refused, _ = err.(*switchyard.APIError); refused == nil || refused.RetryAfter != 90*time.Second || len(s.calls) != 1 { //nolint:errorlint // Do wraps no refusal
		t.Errorf("error %v after %d calls, want one call and an error with RetryAfter of 90 s", err, len(s.calls))
	}

	away := switchyard.New("http://127.0.0.1:1", "sy_f_test")
	tried := &counting{}
	away.HTTP = &http.Client{Transport: tried}
	if err := away.Do(t.Context(), "PATCH", "/api/v1/offers", nil, map[string]any{}, nil); err == nil || tried.n != 1 {
		t.Errorf("error %v after %d tries, want one try", err, tried.n)
	}
}

type counting struct{ n int }

func (c *counting) RoundTrip(*http.Request) (*http.Response, error) {
	c.n++
	return nil, http.ErrServerClosed
}

// TestOwnIdempotencyKey: the caller's key replaces the client's.
func TestOwnIdempotencyKey(t *testing.T) {
	t.Parallel()
	s, c := start(t, `{"data":{}}`)
	if err := c.Do(t.Context(), "POST", "/api/v1/offers", nil, map[string]any{}, nil, switchyard.IdempotencyKey("order-1")); err != nil {
		t.Fatal(err)
	}
	if s.keys[0] != "order-1" {
		t.Errorf("key %q, want order-1", s.keys[0])
	}
}

// TestJobIsAwaited: a call that continues as a job returns the answer of the call, or the error of the job.
func TestJobIsAwaited(t *testing.T) {
	t.Parallel()
	job := `{"data":{"job":{"id":"7","kind":"report","status":"pending","url":""}}}`
	s, c := start(t, job, `{"data":{"status":"running"}}`, `{"data":{"status":"done","result":{"tz":"Europe/Berlin"}}}`)
	report, err := c.GetPerformanceReport(t.Context(), switchyard.GetPerformanceReportParams{})
	if err != nil || report.TZ != "Europe/Berlin" || s.calls[2] != "GET /api/v1/jobs/7" {
		t.Errorf("the report has the time zone %q, want Europe/Berlin, error %v; the calls were %q", report.TZ, err, s.calls)
	}
	_, c = start(t, job, `{"data":{"status":"failed","error":{"code":"too_large","message":"narrow it"}}}`)
	if _, err := c.GetPerformanceReport(t.Context(), switchyard.GetPerformanceReportParams{}); switchyard.Code(err) != "too_large" {
		t.Errorf("error %v, want too_large", err)
	}
}

// TestReadWebhook: the golden webhook of the service is accepted with the new and with the old secret, at most 5 minutes
// before or after its time.
func TestReadWebhook(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../ops/lab/e2e/api/testdata/webhook.txt")
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n\n")
	name, value, _ := strings.Cut(head, ": ")
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		secret, body string
		now          time.Time
		ok           bool
	}{
		{"whsec_new", body, at.Add(4 * time.Minute), true},
		{"whsec_old", body, at.Add(-4 * time.Minute), true},
		{"whsec_other", body, at, false},
		{"whsec_new", body + " ", at, false},
		{"whsec_new", body, at.Add(6 * time.Minute), false},
		{"whsec_new", body, at.Add(-6 * time.Minute), false},
	}
	for _, tt := range tests {
		event, err := switchyard.ReadWebhook(tt.secret, http.Header{name: {value}}, []byte(tt.body), tt.now)
		if (err == nil) != tt.ok || tt.ok && event.Type != "conversion.created" {
			t.Errorf("%s at %v: %+v, error %v, want accepted %v", tt.secret, tt.now, event, err, tt.ok)
		}
		if tt.ok && !json.Valid(event.Data) {
			t.Errorf("the data of the event is not valid JSON: %s", event.Data)
		}
	}
	if _, err := switchyard.ReadWebhook("whsec_new", http.Header{}, []byte(body), at); err == nil {
		t.Error("a webhook without a signature is accepted")
	}
}
