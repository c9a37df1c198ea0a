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

	"switchyard/workers/providers/rest/resttest"
)

// Uploaded is a conversion as a platform has it. The platform knows it by ID; of Microsoft that is click, goal and time.
type Uploaded struct {
	ID        string
	Click     string
	Value     string
	Currency  string
	Consent   string // of its visitor, as it was stated
	Sent      int    // how often it came
	Retracted bool
}

// Uploads are fakes of the platforms' APIs that take conversions. A click id that begins with "bad" is refused, and one with
// "soon" may come later. The zero Uploads is ready.
//
// Some faults are a platform's own: the events of Cut and Slow are taken all the same, Busy is in the envelope of its errors, and so is
// Echo.
type Uploads struct {
	resttest.Faults

	mu       sync.Mutex
	taken    map[string]*Uploaded      // by platform and id
	requests int                       // of Google that were taken
	outcomes map[string]RequestOutcome // of them
	decides  bool                      // it is known at once what becomes of them
	tried    int                       // events that did not count: validated, or tests
	silent   bool                      // refusals do not say which event they are for
	expired  int                       // tokens that are no longer good
	whole    string                    // code of the error for which Google refuses every request of its older API
	pause    func(platform string)
}

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

// RequestOutcome is what became of a request, in Google's words. Without a status it is under way.
type RequestOutcome struct{ Status, Reason string }

// Outcome sets what became of one of Google's requests, which are req-1, req-2 and so on.
func (w *Uploads) Outcome(request string, of RequestOutcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outcomes == nil {
		w.outcomes = map[string]RequestOutcome{}
	}
	w.outcomes[request] = of
}

// Decide has Google say of its next requests what became of them: what it had before it refuses as known.
func (w *Uploads) Decide() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.decides, w.outcomes = true, map[string]RequestOutcome{}
}

// RefuseWhole has Google refuse every request of its older API as a whole, with a successful status; empty: no longer.
func (w *Uploads) RefuseWhole(code string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.whole = code
}

// Silent has refusals not say which event they are for, where the platform leaves that open.
func (w *Uploads) Silent() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.silent = true
}

// Pause has fn called with the name of the platform after the events of each request are taken, and before it is answered.
func (w *Uploads) Pause(fn func(platform string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pause = fn
}

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
	fake, known := uploadFakes[name]
	fault, ok := w.Next(r)
	switch {
	case !ok:
		return
	case !known || r.Method != http.MethodPost && name != "google_ads":
		http.NotFound(rw, r)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	c := &uploadCall{rw: rw, r: r, path: path, raw: raw, w: w, status: http.StatusOK, platform: name}
	taken := fault == resttest.Cut || fault == resttest.Slow
	if !taken && !w.Answer(rw, r, fault, c.own(fake)) {
		return
	}
	w.mu.Lock()
	if fault == resttest.Expired {
		w.expired++
	}
	fake.serve(c)
	pause := w.pause
	w.mu.Unlock()
	if pause != nil {
		pause(name)
	}
	if !taken || w.Answer(rw, r, fault, resttest.Own{}) {
		resttest.JSON(rw, c.status, c.answer)
	}
}

// own are failures in the platform's envelope.
func (c *uploadCall) own(fake uploadFake) resttest.Own {
	fail := func(busy bool, words string) {
		fake.fail(c, busy, words)
		resttest.JSON(c.rw, c.status, c.answer)
	}
	return resttest.Own{
		Busy:   func() { fail(true, "slow down") },
		Echo:   func(words string) { fail(false, words) },
		Refuse: func(words string) { fail(false, words) },
	}
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
