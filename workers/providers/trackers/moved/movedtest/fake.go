// Package movedtest has what the fakes of other trackers share, and what the tests of the readers of these trackers share.
package movedtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"sync"
)

// Tracker is the data of a tracker, by name: lists of records, and other members.
type Tracker map[string]json.RawMessage

// Fake serves a tracker. It is safe for concurrent use after Load.
type Fake struct {
	// Allow returns 200, or the error status for wrong credentials.
	Allow func(r *http.Request) int
	// Serve returns the answer at the path. ok is false if the path has no answer.
	Serve func(t *Parsed, r *http.Request) (answer any, ok bool)
	// Refuse returns a refusal, which may repeat the key so that a test can check that no error contains it.
	Refuse func(status int, r *http.Request) any

	mu       sync.Mutex
	tracker  *Parsed
	next     []failure
	requests []string
}

type failure struct {
	path   string
	status int
}

// Parsed finds records by list and id.
type Parsed struct {
	lists map[string][]json.RawMessage
	byID  map[string]map[string]json.RawMessage
	whole Tracker
}

// Load sets the tracker that is served.
func (f *Fake) Load(raw []byte) {
	p := &Parsed{map[string][]json.RawMessage{}, map[string]map[string]json.RawMessage{}, nil}
	if err := json.Unmarshal(raw, &p.whole); err != nil {
		panic("movedtest: " + err.Error())
	}
	for name, list := range p.whole {
		var items []json.RawMessage
		if json.Unmarshal(list, &items) != nil {
			continue
		}
		p.lists[name], p.byID[name] = items, map[string]json.RawMessage{}
		for _, item := range items {
			p.byID[name][IDOf(item)] = item
		}
	}
	f.tracker = p
}

// IDOf returns the id of a record.
func IDOf(item json.RawMessage) string {
	var text struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(item, &text) == nil {
		return text.ID
	}
	var number struct {
		ID int `json:"id"`
	}
	_ = json.Unmarshal(item, &number) // some records have no id
	return strconv.Itoa(number.ID)
}

// List returns the records of a list.
func (p *Parsed) List(name string) []json.RawMessage {
	return append([]json.RawMessage{}, p.lists[name]...)
}

// Whole returns a member as Load received it.
func (p *Parsed) Whole(name string) json.RawMessage { return p.whole[name] }

// Thin returns the records of a list with only the given members, as trackers do in choice lists.
func (p *Parsed) Thin(name string, members ...string) []map[string]json.RawMessage {
	out := []map[string]json.RawMessage{}
	for _, item := range p.lists[name] {
		var all map[string]json.RawMessage
		_ = json.Unmarshal(item, &all) // an object of a fixture
		for member := range all {
			if !slices.Contains(members, member) {
				delete(all, member)
			}
		}
		out = append(out, all)
	}
	return out
}

// One returns a record.
func (p *Parsed) One(name, id string) (json.RawMessage, bool) {
	item, ok := p.byID[name][id]
	return item, ok
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
	return slices.Clone(f.requests)
}

// ServeHTTP implements http.Handler.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r.URL.Path)
	w.Header().Set("Content-Type", "application/json")
	answer := func(status int, body any) {
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "2")
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body) // fails only if the client has gone
	}
	if status := f.Allow(r); status != http.StatusOK {
		answer(status, f.Refuse(status, r))
		return
	}
	for i, n := range f.next {
		if n.path == r.URL.Path {
			f.next = slices.Delete(f.next, i, i+1)
			answer(n.status, f.Refuse(n.status, r))
			return
		}
	}
	body, ok := f.Serve(f.tracker, r)
	if !ok {
		answer(http.StatusNotFound, f.Refuse(http.StatusNotFound, r))
		return
	}
	answer(http.StatusOK, body)
}
