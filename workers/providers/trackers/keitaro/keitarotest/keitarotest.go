// Package keitarotest is a fake of Keitaro's Admin API. It serves the fixtures in testdata and refuses requests with the
// statuses of the real API.
package keitarotest

import (
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"regexp"
	"sync"
)

// Key is a key with all rights. Limited is a key without rights.
const (
	Key     = "5f0c6e1b2a9d4873"
	Limited = "000000000000dead"
)

//go:embed testdata
var fixtures embed.FS

// Fixture returns a file of a fixture, such as plain/in/tracker.json.
func Fixture(name string) []byte {
	raw, err := fs.ReadFile(fixtures, "testdata/"+name)
	if err != nil {
		panic("keitarotest: " + err.Error())
	}
	return raw
}

// Tracker has the lists as they are served, and the streams of all campaigns in one list.
type Tracker struct {
	Groups   []json.RawMessage `json:"groups"`
	Networks json.RawMessage   `json:"affiliate_networks"`
	Sources  json.RawMessage   `json:"traffic_sources"`
	Domains  json.RawMessage   `json:"domains"`
	Offers   json.RawMessage   `json:"offers"`
	Landings json.RawMessage   `json:"landing_pages"`
	Campaign json.RawMessage   `json:"campaigns"`
	Streams  []json.RawMessage `json:"streams"`
	BotList  string            `json:"botlist"`
}

// Fake serves a tracker. It is safe for concurrent use.
type Fake struct {
	mu       sync.Mutex
	tracker  Tracker
	streams  map[string][]json.RawMessage // by campaign
	known    map[string]bool              // campaigns
	next     []failure
	requests []string
}

type failure struct {
	path   string
	status int
}

// New takes the content of a fixture's tracker.json.
func New(tracker []byte) *Fake {
	f := &Fake{streams: map[string][]json.RawMessage{}, known: map[string]bool{}}
	var campaigns []struct {
		ID json.Number `json:"id"`
	}
	err := json.Unmarshal(tracker, &f.tracker)
	if err == nil {
		err = json.Unmarshal(f.tracker.Campaign, &campaigns)
	}
	if err != nil {
		panic("keitarotest: " + err.Error())
	}
	for _, c := range campaigns {
		f.known[c.ID.String()] = true
	}
	for _, raw := range f.tracker.Streams {
		var s struct {
			Campaign json.Number `json:"campaign_id"`
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			panic("keitarotest: " + err.Error())
		}
		f.streams[s.Campaign.String()] = append(f.streams[s.Campaign.String()], raw)
	}
	return f
}

// FailOnce makes the next request of a path fail with a status.
func (f *Fake) FailOnce(path string, status int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.next = append(f.next, failure{path, status})
}

// Requests returns the paths of the requests so far, in order.
func (f *Fake) Requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.requests...)
}

var streamsOf = regexp.MustCompile(`^/campaigns/(\d+)/streams$`)

// messages are the error texts of the Admin API.
var messages = map[int]string{
	http.StatusUnauthorized: "Access denied", http.StatusPaymentRequired: "Admin API is not available in that edition",
	http.StatusForbidden: "Access denied", http.StatusNotFound: "Entity not found", http.StatusTooManyRequests: "Too many requests",
	http.StatusInternalServerError: "Internal error",
}

// ServeHTTP implements http.Handler.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const base = "/admin_api/v1"
	if len(r.URL.Path) <= len(base) || r.URL.Path[:len(base)] != base || r.Method != http.MethodGet {
		http.Error(w, "<html>404</html>", http.StatusNotFound)
		return
	}
	path := r.URL.Path[len(base):]
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, path)
	switch r.Header.Get("Api-Key") {
	case Key:
	case Limited:
		refuse(w, http.StatusForbidden, "")
		return
	default:
		// Unlike the real API, the fake repeats the key, so that a test can check that no error contains it.
		refuse(w, http.StatusUnauthorized, " for "+r.Header.Get("Api-Key"))
		return
	}
	for i, n := range f.next {
		if n.path == path {
			f.next = append(f.next[:i], f.next[i+1:]...)
			refuse(w, n.status, "")
			return
		}
	}
	f.serve(w, r, path)
}

func refuse(w http.ResponseWriter, status int, more string) {
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "2")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": messages[status] + more}) // fails only if the client has gone
}

func (f *Fake) serve(w http.ResponseWriter, r *http.Request, path string) {
	var answer any
	switch path {
	case "/groups":
		kind := r.URL.Query().Get("type")
		if kind != "campaigns" && kind != "offers" && kind != "landings" {
			refuse(w, http.StatusBadRequest, "type is not valid")
			return
		}
		list := []json.RawMessage{}
		for _, raw := range f.tracker.Groups {
			var g struct {
				Type string `json:"type"`
			}
			if json.Unmarshal(raw, &g) == nil && g.Type == kind {
				list = append(list, raw)
			}
		}
		answer = list
	case "/affiliate_networks":
		answer = f.tracker.Networks
	case "/traffic_sources":
		answer = f.tracker.Sources
	case "/domains":
		answer = f.tracker.Domains
	case "/offers":
		answer = f.tracker.Offers
	case "/landing_pages":
		answer = f.tracker.Landings
	case "/campaigns":
		answer = f.tracker.Campaign
	case "/botlist":
		answer = map[string]string{"value": f.tracker.BotList}
	default:
		id := streamsOf.FindStringSubmatch(path)
		if id == nil || !f.known[id[1]] {
			refuse(w, http.StatusNotFound, "")
			return
		}
		answer = append([]json.RawMessage{}, f.streams[id[1]]...)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // fails only if the client has gone
}
