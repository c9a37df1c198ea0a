package adstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"switchyard/workers/providers/rest/resttest"
)

// Uploaded is a conversion that a platform has stored. ID is the key of the conversion at the platform. Microsoft's has click,
// goal and time.
type Uploaded struct {
	ID        string
	Click     string
	Value     string
	Currency  string
	Consent   string // the stated consent of the visitor
	To        string // the account that received the conversion, at Google
	Fields    object // the conversion as it was received
	Sent      int
	Retracted bool
}

// Uploads has fakes of the platforms' APIs for conversions. A click id that begins with "bad" is refused. A click id that begins
// with "soon" is refused because its conversion came too early.
//
// With the faults Cut and Slow, the events are stored nevertheless.
type Uploads struct {
	resttest.Faults

	mu             sync.Mutex
	stored         map[string]*Uploaded // by platform and id
	requests       int                  // number of requests that Google has accepted
	outcomes       map[string]RequestOutcome
	decidesAtOnce  bool   // see DecideAtOnce
	uncounted      int    // events that did not count: only validated, or test events
	omitsRefused   bool   // see OmitRefusedEvents
	expiredTokens  int    // also the number of the valid token
	requestRefusal string // see RefuseRequests
	termsRefused   bool   // see RefuseTerms
	projectRefusal string // see RefuseProject
	pause          func(platform string)
	bodies         map[string][]byte // the last request with accepted events, by platform
}

// Body returns the last request body in which a platform accepted an event.
func (w *Uploads) Body(platform string) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bodies[platform]
}

// UploadPlatform says what a platform's fake accepts, and what the platform can do.
type UploadPlatform struct {
	Credentials map[string]string
	Action      string // the conversion action of a connection
	Click       string // the parameter of tracking links with the platform's click id
	SignIn      bool   // tokens come from a sign-in
	Changes     bool   // conversions can be changed later
	Validates   bool   // events can be checked without counting them
	// Body is the request that the platform must receive for the tests' conversion, with placeholders for the values. It may be
	// empty.
	Body string
}

// UploadTokens are the credentials that the fakes accept, by platform.
var UploadTokens = func() map[string]map[string]string {
	out := map[string]map[string]string{}
	for name, fake := range uploadFakes {
		out[name] = fake.Credentials
	}
	return out
}()

// UploadPlatformOf returns the description of a platform.
func UploadPlatformOf(platform string) UploadPlatform { return uploadFakes[platform].UploadPlatform }

// UploadPlatforms returns the names of the platforms that have a fake, sorted.
func UploadPlatforms() []string { return slices.Sorted(maps.Keys(uploadFakes)) }

// SignedIn returns the valid access token of a sign-in. After the fault Expired, the next token is the valid one.
func (w *Uploads) SignedIn() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.signedIn()
}

func (w *Uploads) signedIn() string { return fmt.Sprintf("canary-access-%d", w.expiredTokens) }

// RequestOutcome is the outcome of a request, in Google's words. Without a status, the request is under way.
type RequestOutcome struct{ Status, Reason string }

// Outcome sets the outcome of a request to Google. The ids of requests are req-1, req-2 and so on.
func (w *Uploads) Outcome(request string, of RequestOutcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.outcomes == nil {
		w.outcomes = map[string]RequestOutcome{}
	}
	w.outcomes[request] = of
}

// DecideAtOnce makes Google report the outcome of the next requests at once. Google refuses events that it already has, as
// duplicates.
func (w *Uploads) DecideAtOnce() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.decidesAtOnce, w.outcomes = true, map[string]RequestOutcome{}
}

// RefuseRequests makes Google refuse every request of its older API as a whole, with a successful status. An empty code ends
// this.
func (w *Uploads) RefuseRequests(code string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requestRefusal = code
}

// RefuseTerms makes Google refuse events with hashed personal data, because the customer has not agreed to its terms.
func (w *Uploads) RefuseTerms() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.termsRefused = true
}

// RefuseProject makes Google refuse every request for a reason that concerns the install's project or its token. An empty reason
// ends this.
func (w *Uploads) RefuseProject(reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.projectRefusal = reason
}

// OmitRefusedEvents makes the fakes answer refusals without saying which events are refused, if the platform's format allows this.
func (w *Uploads) OmitRefusedEvents() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.omitsRefused = true
}

// Pause makes the fakes call fn after they have stored the events of a request and before they answer it.
func (w *Uploads) Pause(fn func(platform string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pause = fn
}

// Uncounted returns the number of received events that do not count.
func (w *Uploads) Uncounted() int { w.mu.Lock(); defer w.mu.Unlock(); return w.uncounted }

// Stored returns the conversions that a platform has stored, sorted by id.
func (w *Uploads) Stored(platform string) []Uploaded {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []Uploaded
	for key, v := range w.stored {
		if strings.HasPrefix(key, platform+"/") {
			out = append(out, *v)
		}
	}
	slices.SortFunc(out, func(a, b Uploaded) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// ServeUploads starts a server that serves each fake at the paths that begin with its name.
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
	c := &uploadCall{rw: rw, r: r, path: path, raw: raw, w: w, status: http.StatusOK, platform: name, credentials: fake.Credentials}
	accepted := fault == resttest.Cut || fault == resttest.Slow // the events are stored before the answer fails
	if !accepted && !w.Answer(rw, r, fault, c.failureForms(fake)) {
		return
	}
	w.mu.Lock()
	if fault == resttest.Expired {
		w.expiredTokens++
	}
	fake.serve(c)
	pause := w.pause
	w.mu.Unlock()
	if pause != nil {
		pause(name)
	}
	if !accepted || w.Answer(rw, r, fault, resttest.FailureForms{}) {
		resttest.JSON(rw, c.status, c.answer)
	}
}

func (c *uploadCall) failureForms(fake uploadFake) resttest.FailureForms {
	fail := func(busy bool, words string) {
		fake.fail(c, busy, words)
		resttest.JSON(c.rw, c.status, c.answer)
	}
	refuse := func(words string) { fail(false, words) }
	return resttest.FailureForms{Busy: func() { fail(true, "slow down") }, Echo: refuse, Refuse: refuse}
}

// uploadCall is a request to a fake.
type uploadCall struct {
	rw          http.ResponseWriter
	r           *http.Request
	path        string // without the platform's name
	raw         []byte
	body        object // raw as JSON, once item has read it
	w           *Uploads
	platform    string
	credentials map[string]string
	status      int
	answer      any
}

func (c *uploadCall) respond(status int, answer any) { c.status, c.answer = status, answer }

func (c *uploadCall) read(into any) bool { return json.Unmarshal(c.raw, into) == nil }

// readStrictly decodes the body. It refuses unknown fields.
func (c *uploadCall) readStrictly(into any) error {
	d := json.NewDecoder(bytes.NewReader(c.raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// item returns an item of a list of the body, as it was received.
func (c *uploadCall) item(list string, i int) object {
	if c.body == nil {
		_ = json.Unmarshal(c.raw, &c.body)
	}
	items, _ := c.body[list].([]any)
	item, _ := items[i].(object)
	return item
}

// counted is the argument of store for an event that counts.
const counted = true

// store stores an event, unless its click id is to be refused. An event that does not count is not
// stored, but increases Uncounted.
func (c *uploadCall) store(v Uploaded, counts bool) (refused string) {
	if refused = clickRefusal(v.Click); refused != "" {
		return refused
	}
	if c.w.bodies == nil {
		c.w.bodies = map[string][]byte{}
	}
	c.w.bodies[c.platform] = c.raw
	if !counts {
		c.w.uncounted++
		return ""
	}
	if c.w.stored == nil {
		c.w.stored = map[string]*Uploaded{}
	}
	key := c.platform + "/" + v.ID
	if was := c.w.stored[key]; was != nil {
		v.Sent, v.Retracted = was.Sent, was.Retracted
	}
	v.Sent++
	c.w.stored[key] = &v
	return ""
}

// change changes a stored conversion and reports whether it exists.
func (c *uploadCall) change(id, kind, value, currency string) (known bool) {
	was := c.w.stored[c.platform+"/"+id]
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

func clickRefusal(click string) string {
	switch {
	case strings.HasPrefix(click, "bad"):
		return "bad"
	case strings.HasPrefix(click, "soon"):
		return "soon"
	}
	return ""
}

// uploadFake is the fake of a platform.
type uploadFake struct {
	UploadPlatform

	serve func(c *uploadCall)
	fail  func(c *uploadCall, busy bool, words string) // answers in the form of the platform's errors
}

var uploadFakes = map[string]uploadFake{
	"google_ads": googleUploads, "microsoft_ads": microsoftUploads, "meta": metaUploads, "tiktok": tiktokUploads,
	"snapchat": snapchatUploads, "pinterest": pinterestUploads, "reddit": redditUploads, "openai_ads": openAIUploads,
}
