package bench

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"switchyard/ops/visitors"
)

type seen struct {
	mu     sync.Mutex
	agents map[string]int
	answer http.HandlerFunc
}

func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.agents[r.UserAgent()]++
	s.mu.Unlock()
	s.answer(w, r)
}

// TestLoadCountsAnswers: a load counts as many answers as the server has sent, keeps its rate, and fails if an answer has another
// status than Status.
func TestLoadCountsAnswers(t *testing.T) {
	t.Parallel()
	set, err := visitors.Load()
	if err != nil {
		t.Fatal(err)
	}
	redirect := func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://x.example/", http.StatusFound)
	}
	tests := map[string]struct {
		requests []Request
		rate     float64
		answer   http.HandlerFunc
		wrong    string
	}{
		"usual":  {visits(set, "h.example", "/a"), 0, redirect, ""},
		"paced":  {visits(set, "h.example", "/a"), 400, redirect, ""},
		"flood":  {floodVisits(set, "h.example", "/a"), 0, redirect, ""},
		"faulty": {visits(set, "h.example", "/a"), 0, http.NotFound, "wrong answer"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &seen{agents: map[string]int{}, answer: tt.answer}
			server := httptest.NewServer(s)
			defer server.Close()
			l := Load{
				Addr: strings.TrimPrefix(server.URL, "http://"), Connections: 4, Requests: tt.requests, Status: "302",
				Duration: 300 * time.Millisecond, Rate: tt.rate,
			}
			got, err := l.Run(t.Context())
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Fatalf("error %v, want %q", err, tt.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			total := 0
			for agent, n := range s.agents {
				if total += n; name == "flood" && n > 1 {
					t.Errorf("the user agent %q came %d times, want once", agent, n)
				}
			}
			if total != got.Count || total == 0 || got.Percentile(0.5) > got.Percentile(0.99) {
				t.Errorf("the server saw %d requests and the load counted %d, want the same number, more than 0, and percentiles in order: %v, %v",
					total, got.Count, got.Percentile(0.5), got.Percentile(0.99))
			}
			if limit := int(tt.rate*l.Duration.Seconds()) + l.Connections; tt.rate > 0 && total > limit {
				t.Errorf("%d requests were sent, but only %d were due", total, limit)
			}
		})
	}
}

// TestPickMeasuresTheLastPath: the choice of a path is measured, and allocates nothing.
func TestPickMeasuresTheLastPath(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	result, err := pick()
	if err != nil || result.N == 0 || result.AllocsPerOp() != 0 {
		t.Fatalf("the measurement is %v, want no allocation: %v", result, err)
	}
}
