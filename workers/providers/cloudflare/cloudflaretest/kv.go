package cloudflaretest

import (
	"encoding/json"
	"maps"
	"net/http"
	"time"
)

// Namespace is the id of the Workers KV namespace.
const Namespace = "0f2ac74b498b48028cb68387c421e279"

// The limits of Workers KV.
const (
	kvPairs = 10_000
	kvBody  = 100_000_000
	kvKey   = 512
	kvValue = 25 << 20
	kvPause = time.Second // minimum time between two writes of a key
)

const kvPath = "/accounts/{account}/storage/kv/namespaces/{namespace}/"

type namespace struct {
	values  map[string]string
	written map[string]time.Time
	fail    int // how many of the next writes and deletions of keys fail
}

// Values returns the content of Workers KV.
func (f *Fake) Values() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.kv.values)
}

// FailKeys makes the next n writes or deletions of keys fail.
func (f *Fake) FailKeys(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kv.fail = n
}

func (f *Fake) kvRoutes(mux *http.ServeMux) {
	f.kv = namespace{values: map[string]string{}, written: map[string]time.Time{}}
	mux.HandleFunc("PUT "+kvPath+"bulk", f.known(func(w http.ResponseWriter, r *http.Request) {
		var pairs []struct{ Key, Value string }
		if json.NewDecoder(http.MaxBytesReader(w, r.Body, kvBody)).Decode(&pairs) != nil || len(pairs) > kvPairs {
			fail(w, http.StatusBadRequest, 10022, "could not parse the bulk put")
			return
		}
		for _, p := range pairs {
			if len(p.Key) == 0 || len(p.Key) > kvKey || len(p.Value) > kvValue {
				fail(w, http.StatusBadRequest, 10030, "a key is empty, or a key or a value is too long")
				return
			}
		}
		var failed []string
		for _, p := range pairs {
			if !f.writes(p.Key) {
				failed = append(failed, p.Key)
				continue
			}
			f.kv.values[p.Key] = p.Value
		}
		answer(w, http.StatusOK, bulk(len(pairs), failed), nil)
	}))
	mux.HandleFunc("POST "+kvPath+"bulk/delete", f.known(func(w http.ResponseWriter, r *http.Request) {
		var keys []string
		if json.NewDecoder(http.MaxBytesReader(w, r.Body, kvBody)).Decode(&keys) != nil || len(keys) > kvPairs {
			fail(w, http.StatusBadRequest, 10022, "could not parse the bulk delete")
			return
		}
		var failed []string
		for _, key := range keys {
			if !f.writes(key) {
				failed = append(failed, key)
				continue
			}
			delete(f.kv.values, key)
		}
		answer(w, http.StatusOK, bulk(len(keys), failed), nil)
	}))
}

func bulk(tried int, failed []string) object {
	if failed == nil {
		failed = []string{}
	}
	return object{"successful_key_count": tried - len(failed), "unsuccessful_keys": failed}
}

func (f *Fake) writes(key string) bool {
	now := f.now()
	if f.kv.fail > 0 {
		f.kv.fail--
		return false
	}
	if last, ok := f.kv.written[key]; ok && now.Sub(last) < kvPause {
		return false
	}
	f.kv.written[key] = now
	return true
}

// known refuses calls to a namespace that does not exist.
func (f *Fake) known(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("account") != Account || r.PathValue("namespace") != Namespace {
			fail(w, http.StatusNotFound, 10013, "namespace not found")
			return
		}
		serve(w, r)
	}
}
