package prototest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Exchange is a request and its answer.
type Exchange struct {
	Call            string // the last part of the path without the customer, such as uploadClickConversions
	Request, Answer []byte
	Status          int
}

// Tap passes requests to a fake, and records the requests with their answers.
type Tap struct {
	Fake http.Handler

	mu   sync.Mutex
	list []Exchange
}

// Exchanges returns what was requested and answered so far.
func (p *Tap) Exchanges() []Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list
}

// ServeHTTP implements http.Handler.
func (p *Tap) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	out := httptest.NewRecorder()
	p.Fake.ServeHTTP(out, r)
	p.mu.Lock()
	p.list = append(p.list, Exchange{callOf(path), body, bytes.TrimSpace(out.Body.Bytes()), out.Code})
	p.mu.Unlock()
	for name, values := range out.Header() {
		rw.Header()[name] = values
	}
	rw.WriteHeader(out.Code)
	_, _ = rw.Write(out.Body.Bytes())
}

// callOf returns the last part of a path, without the customer.
func callOf(path string) string {
	call := path[strings.LastIndexByte(path, '/')+1:]
	if customer, verb, ok := strings.Cut(call, ":"); ok && strings.Trim(customer, "0123456789") == "" {
		return verb
	}
	return call
}

// googleAdsPackage is the package of Google Ads' messages, in the version that GoogleAds describes.
const googleAdsPackage = "google.ads.googleads.v25.services."

// googleMessages has the names of the messages of requests and of their successful answers, by Exchange.Call. request is empty if
// there is no body.
var googleMessages = map[string]struct{ request, answer string }{
	"events:ingest":                     {"google.ads.datamanager.v1.IngestEventsRequest", "google.ads.datamanager.v1.IngestEventsResponse"},
	"requestStatus:retrieve":            {"", "google.ads.datamanager.v1.RetrieveRequestStatusResponse"},
	"googleAds:searchStream":            {googleAdsPackage + "SearchGoogleAdsStreamRequest", googleAdsPackage + "SearchGoogleAdsStreamResponse"},
	"uploadClickConversions":            {googleAdsPackage + "UploadClickConversionsRequest", googleAdsPackage + "UploadClickConversionsResponse"},
	"uploadConversionAdjustments":       {googleAdsPackage + "UploadConversionAdjustmentsRequest", googleAdsPackage + "UploadConversionAdjustmentsResponse"},
	"customers:listAccessibleCustomers": {"", googleAdsPackage + "ListAccessibleCustomersResponse"},
	"conversionActions:mutate":          {googleAdsPackage + "MutateConversionActionsRequest", googleAdsPackage + "MutateConversionActionsResponse"},
}

// CheckGoogle checks the form of requests to Google and of the answers. The requests must include each wanted call. A wanted call
// with " fails" at its end must have been refused.
func CheckGoogle(t *testing.T, exchanges []Exchange, want ...string) {
	t.Helper()
	protos := Load(t, DataManager, GoogleAds)
	missing := map[string]bool{}
	for _, call := range want {
		missing[call] = true
	}
	for _, x := range exchanges {
		messages, known := googleMessages[x.Call]
		if !known {
			t.Errorf("no messages are named for %s", x.Call)
			continue
		}
		check := func(message string, raw []byte) {
			for _, flaw := range protos.Check(message, raw, "customerId") { // the customer is in the path
				t.Errorf("%s: %s: %s\n%.2000s", x.Call, message, flaw, raw)
			}
		}
		if messages.request != "" {
			check(messages.request, x.Request)
		}
		for _, answer := range x.answers(t) {
			if x.Status == http.StatusOK {
				check(messages.answer, answer)
				delete(missing, x.Call)
				continue
			}
			check("google.rpc.Status", failureOf(t, answer))
			delete(missing, x.Call+" fails")
		}
	}
	for call := range missing {
		t.Errorf("there was no %s", call)
	}
}

// answers returns the messages of an answer: a streaming call answers with a list of them.
func (x Exchange) answers(t *testing.T) (list []json.RawMessage) {
	t.Helper()
	if !bytes.HasPrefix(x.Answer, []byte("[")) {
		return []json.RawMessage{x.Answer}
	}
	if err := json.Unmarshal(x.Answer, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// failureOf returns the error of an answer as a google.rpc.Status, without the member status that only the JSON form has.
func failureOf(t *testing.T, answer []byte) []byte {
	t.Helper()
	var failure struct{ Error map[string]json.RawMessage }
	if err := json.Unmarshal(answer, &failure); err != nil || failure.Error["status"] == nil {
		t.Fatalf("%v: %s", err, answer)
	}
	delete(failure.Error, "status")
	raw, err := json.Marshal(failure.Error)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
