package adstest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Uploaded is a conversion as a platform has it. The platform knows it by ID; of Microsoft that is click, goal and time.
type Uploaded struct {
	ID        string
	Click     string
	Value     string
	Currency  string
	Sent      int // how often it came
	Retracted bool
}

// Uploads are fakes of the platforms' APIs that take conversions. A click id that begins with "bad" is refused, and one with
// "soon" may come later. The zero Uploads is ready.
type Uploads struct {
	mu      sync.Mutex
	taken   map[string]*Uploaded // by platform and id
	faults  []UploadFault        // of the next requests; the last one stays
	calls   int
	tried   int  // events that did not count: validated, or tests
	silent  bool // refusals do not say which event they are for
	expired int  // tokens that are no longer good
	hold    func()
}

// UploadFault is how a platform fails.
type UploadFault int

// The faults.
const (
	UploadFine    UploadFault = iota
	UploadBusy                // too many requests, with Retry-After: 7 where it is HTTP's
	UploadDown                // 500 with a page that repeats the request's credentials
	UploadExpired             // the token is no longer good
	UploadEcho                // a refusal in the platform's envelope that repeats the request's credentials
	UploadCut                 // the events are taken, and the answer ends early
)

// UploadTokens are the names and values of credentials that the fakes accept.
var UploadTokens = map[string]map[string]string{
	"google_ads":    {"customer_id": "123-456-7890", "login_customer_id": "999-888-7777"},
	"microsoft_ads": {"account_id": "176", "customer_id": "250"},
	"meta":          {"pixel_id": "1234567890", "capi_token": "canary-capi-token-Zq7"},                //nolint:gosec // a made-up one
	"tiktok":        {"access_token": "canary-tiktok-Zq7", "advertiser_id": "7", "pixel_code": "PX7"}, //nolint:gosec // a made-up one
}

// SignedIn is the access token of a sign-in that is good; after Expired the next one is.
func (w *Uploads) SignedIn() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.signedIn()
}

func (w *Uploads) signedIn() string { return fmt.Sprintf("canary-access-%d", w.expired) }

// Fail lets the next requests fail one after another, and all further ones as the last.
func (w *Uploads) Fail(faults ...UploadFault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = faults
}

// Silent has refusals not say which event they are for, where the platform leaves that open.
func (w *Uploads) Silent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = true
}

// Hold has fn called after the events of each request are taken, and before it is answered.
func (w *Uploads) Hold(fn func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hold = fn
}

// Calls is how many requests there were.
func (w *Uploads) Calls() int { w.mu.Lock(); defer w.mu.Unlock(); return w.calls }

// Tried is how many events came that do not count.
func (w *Uploads) Tried() int { w.mu.Lock(); defer w.mu.Unlock(); return w.tried }

// Taken are the conversions that a platform has, by id.
func (w *Uploads) Taken(platform string) []Uploaded {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []Uploaded
	for key, v := range w.taken {
		if strings.HasPrefix(key, platform+"/") {
			out = append(out, *v)
		}
	}
	slices.SortFunc(out, func(a, b Uploaded) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// ServeUploads starts a server that is every fake, each below the name of its provider.
func ServeUploads(tb testing.TB, w *Uploads) *httptest.Server {
	tb.Helper()
	s := httptest.NewTLSServer(w)
	tb.Cleanup(s.Close)
	return s
}

// ServeHTTP implements http.Handler.
func (w *Uploads) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	fake, ok := uploadFakes[name]
	raw, err := io.ReadAll(r.Body)
	if !ok || err != nil || r.Method != http.MethodPost {
		http.NotFound(rw, r)
		return
	}
	w.mu.Lock()
	w.calls++
	fault := UploadFine
	if len(w.faults) > 0 {
		if fault = w.faults[0]; len(w.faults) > 1 {
			w.faults = w.faults[1:]
		}
	}
	if fault == UploadExpired {
		w.expired++
		fault = UploadFine
	}
	secrets := r.Header.Get("Authorization") + " " + r.Header.Get("Access-Token") + " " + r.URL.RawQuery
	c := &uploadCall{rw: rw, r: r, path: path, raw: raw, w: w, status: http.StatusOK, platform: name}
	switch fault {
	case UploadDown:
		c.status, c.answer = http.StatusInternalServerError, "<html>"+secrets
	case UploadBusy, UploadEcho:
		rw.Header().Set("Retry-After", "7")
		fake.fail(c, fault == UploadBusy, "cannot serve "+secrets)
	default:
		fake.serve(c)
	}
	hold := w.hold
	w.mu.Unlock()
	if hold != nil {
		hold()
	}
	body, _ := json.Marshal(c.answer)
	if fault == UploadCut {
		rw.Header().Set("Content-Length", "5000")
		body = []byte(`{"even`)
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(c.status)
	_, _ = rw.Write(body)
}

type document = map[string]any

// uploadCall is a request to a fake.
type uploadCall struct {
	rw       http.ResponseWriter
	r        *http.Request
	path     string // without the platform's name
	raw      []byte
	w        *Uploads
	platform string
	status   int
	answer   any
}

func (c *uploadCall) says(status int, answer any) { c.status, c.answer = status, answer }

// read reads the body; numbers stay as they were written.
func (c *uploadCall) read(into any) bool { return json.Unmarshal(c.raw, into) == nil }

// take has an event, unless its click is bad.
func (c *uploadCall) take(v Uploaded, counts bool) (refused string) {
	if refused = uploadWrong(v.Click); refused != "" {
		return refused
	}
	if !counts {
		c.w.tried++
		return ""
	}
	if c.w.taken == nil {
		c.w.taken = map[string]*Uploaded{}
	}
	key := c.platform + "/" + v.ID
	if was := c.w.taken[key]; was != nil {
		v.Sent, v.Retracted = was.Sent, was.Retracted
	}
	v.Sent++
	c.w.taken[key] = &v
	return ""
}

// change has a conversion changed that is there.
func (c *uploadCall) change(id, kind, value, currency string) (known bool) {
	was := c.w.taken[c.platform+"/"+id]
	switch {
	case was == nil:
		return false
	case strings.EqualFold(kind, "retract"):
		was.Retracted = true
	default:
		was.Value, was.Currency = value, currency
	}
	return true
}

// uploadWrong is why a click id is refused.
func uploadWrong(click string) string {
	switch {
	case strings.HasPrefix(click, "bad"):
		return "bad"
	case strings.HasPrefix(click, "soon"):
		return "soon"
	}
	return ""
}

// uploadFake is a platform.
type uploadFake struct {
	serve func(c *uploadCall)
	fail  func(c *uploadCall, busy bool, words string) // in the envelope of its errors
}

var uploadFakes = map[string]uploadFake{
	"google_ads": googleUploads, "microsoft_ads": microsoftUploads, "meta": metaUploads, "tiktok": tiktokUploads,
}
