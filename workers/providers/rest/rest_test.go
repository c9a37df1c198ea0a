package rest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"switchyard/workers/egress"
	"switchyard/workers/egress/egresstest"
	"switchyard/workers/providers/rest"
)

const secret = "s3cr&t+token"

// provider starts a server that gives the answers in order, and repeats the last answer.
func provider(t *testing.T, answers ...http.HandlerFunc) (api rest.API, asked *int, waits *[]time.Duration) {
	t.Helper()
	asked, waits = new(int), new([]time.Duration)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := min(*asked, len(answers)-1)
		*asked++
		answers[n](w, r)
	}))
	t.Cleanup(server.Close)
	return rest.API{
		Out: egresstest.Client(t, server, egress.Options{}), Base: server.URL, Now: time.Now,
		Sign: rest.Bearer(secret),
		Wait: func(_ context.Context, d time.Duration) error { *waits = append(*waits, d); return nil },
	}.WithSecrets(secret), asked, waits
}

func respond(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}
}

func cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = w.Write([]byte(`{"a":`))
}

// TestRetryTime: a request that fails for a while is sent again within RetryTime. The pause is as long as the provider
// asks, or else one second, then two seconds.
func TestRetryTime(t *testing.T) {
	t.Parallel()
	fine, busy := respond(200, "\ufeff{\"a\": 1}"), respond(429, `{"error": {"message": "slow down"}}`, "Retry-After", "7")
	for name, c := range map[string]struct {
		answers   []http.HandlerFunc
		retryTime time.Duration
		repeat    bool
		waits     []time.Duration
		is        error
	}{
		"at once":             {[]http.HandlerFunc{fine}, time.Minute, true, nil, nil},
		"busy":                {[]http.HandlerFunc{busy, fine}, time.Minute, false, []time.Duration{7 * time.Second}, nil},
		"busy without a time": {[]http.HandlerFunc{respond(429, ""), respond(429, ""), fine}, time.Minute, false, []time.Duration{time.Second, 2 * time.Second}, nil},
		"busy for too long":   {[]http.HandlerFunc{busy}, 10 * time.Second, true, []time.Duration{7 * time.Second}, rest.ErrBusy},
		"no retry":            {[]http.HandlerFunc{busy, fine}, 0, true, nil, rest.ErrBusy},
		"broken, then fine":   {[]http.HandlerFunc{respond(500, "x"), cut, fine}, time.Minute, true, []time.Duration{time.Second, 2 * time.Second}, nil},
		"broken, not to be repeated": {
			[]http.HandlerFunc{respond(502, `{"message": "down"}`), fine}, time.Minute, false, nil, errors.New("the provider answered 502: down"),
		},
		"refused": {[]http.HandlerFunc{respond(401, `{"detail": "no"}`), fine}, time.Minute, true, nil, rest.ErrRefused},
	} {
		api, asked, waits := provider(t, c.answers...)
		api.RetryTime = c.retryTime
		var into struct{ A int }
		err := api.Do(t.Context(), rest.Request{Method: http.MethodPost, Path: "/x", Repeat: c.repeat}, &into)
		switch {
		case c.is == nil && (err != nil || into.A != 1 || *asked != len(c.answers)):
			t.Errorf("%s: %v after %d requests, read %+v", name, err, *asked, into)
		case c.is != nil && !errors.Is(err, c.is) && (err == nil || err.Error() != c.is.Error()):
			t.Errorf("%s: %v, want %v", name, err, c.is)
		}
		if !slices.Equal(*waits, c.waits) {
			t.Errorf("%s: waits %v, want %v", name, *waits, c.waits)
		}
	}
}

// TestShown: an error contains no secret, in whatever form the provider repeats it.
func TestShown(t *testing.T) {
	t.Parallel()
	const got = "got-later"
	body := `{"errors": [{"message": "bad token ` + secret + ` in s3cr%26t%2Btoken\u0000 and s3cr%26t%2btoken and s3cr&amp;t+token and s3cr\\u0026t+token, ` + got + strings.Repeat(" x", 400) + `"}]}`
	api, _, _ := provider(t, respond(400, body))
	api.Hide(got)
	err := api.PublicError(api.Get(t.Context(), "/x", nil, nil))
	if err == nil || strings.Contains(err.Error(), "s3cr") || strings.Contains(err.Error(), got) || len([]rune(err.Error())) > 301 ||
		!strings.HasPrefix(err.Error(), "the provider answered 400: bad token *** in *** and *** and *** and ***, *** x") {
		t.Errorf("%v", err)
	}
	var f *rest.FailureError
	if errors.As(err, &f) {
		t.Error("the cause of the error can be reached")
	}
	if api.PublicError(nil) != nil || !errors.Is(api.PublicError(rest.ErrBusy), rest.ErrBusy) {
		t.Error("PublicError turns nil into an error, or loses ErrBusy")
	}
}

// pace allows a number of requests and records pauses.
type pace struct {
	left   int
	paused time.Duration
}

func (p *pace) Allow(context.Context, int) time.Duration {
	if p.left--; p.left < 0 {
		return 3 * time.Second
	}
	return 0
}

func (p *pace) Pause(_ context.Context, d time.Duration) { p.paused = d }

// TestPace: a request waits for its turn as long as RetryTime allows.
func TestPace(t *testing.T) {
	t.Parallel()
	api, asked, waits := provider(t, respond(429, "", "Retry-After", "9"), respond(200, "{}"))
	p := &pace{left: 1}
	api.Pace = p
	if err := api.Get(t.Context(), "/x", nil, nil); !errors.Is(err, rest.ErrBusy) || p.paused != 9*time.Second {
		t.Errorf("%v, paused for %v", err, p.paused)
	}
	api.RetryTime = 10 * time.Second
	if err := api.Get(t.Context(), "/x", nil, nil); !errors.Is(err, rest.ErrBusy) || *asked != 1 || len(*waits) != 3 {
		t.Errorf("%v after %d requests, waits %v", err, *asked, *waits)
	}
}

// TestPaceDeadline: a request whose turn would come after the caller's deadline fails at once.
func TestPaceDeadline(t *testing.T) {
	t.Parallel()
	api, asked, waits := provider(t, respond(200, "{}"))
	api.Pace, api.RetryTime = &pace{}, time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	err := api.Get(ctx, "/x", nil, nil)
	if !errors.Is(err, rest.ErrBusy) || !strings.Contains(err.Error(), "try again in 3 seconds") || *asked != 0 || len(*waits) != 0 {
		t.Errorf("%v after %d requests, waits %v", err, *asked, *waits)
	}
}

// TestRequestID: the provider's id of a failed request is read from a header or from the answer.
func TestRequestID(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"header": respond(500, `{"request_id": "other"}`, "X-Request-Id", "r-7"),
		"member": respond(400, `{"error": {"message": "request_id", "code": 5, "fbtrace_id": "r-7"}}`),
		"fault":  respond(500, `{"TrackingId": "r-7", "Errors": []}`),
		"list":   respond(400, `[{"error": {"details": [{"requestId": "r-7"}]}}]`),
		"none":   respond(500, `{"request_id": {"a": 1}, "x": ["request_id", "y"]`),
	} {
		api, _, _ := provider(t, answer)
		f, ok := errors.AsType[*rest.FailureError](api.Get(t.Context(), "/x", nil, nil))
		if want := map[bool]string{true: "", false: "r-7"}[name == "none"]; !ok || f.RequestID != want {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestRows: rows are read up to a limit.
func TestRows(t *testing.T) {
	t.Parallel()
	long := `{"x": "` + strings.Repeat("y", 70<<10) + `"}`
	for name, c := range map[string]struct {
		body, path string
		rows       int
		err        string
	}{
		"list":     {`[{"a": 1}, {"a": 2}, 5]`, "", 3, ""},
		"path":     {`{"skip": {"data": [1, {"x": []}]}, "data": {"n": null, "rows": [{"a": 1}]}, "more": 1}`, "data.rows", 1, ""},
		"no list":  {`{"data": {"rows": {}}}`, "data.rows", 0, "the answer has no list at rows"},
		"no path":  {`{"other": 1}`, "data.rows", 0, "the answer has no list at rows"},
		"no JSON":  {`<html>`, "data", 0, rest.ErrForm.Error()},
		"cut":      {`{"data": [{"a": 1}`, "data", 1, rest.ErrForm.Error()},
		"cut more": {`{"data": [{"a": 1}, {"a`, "data", 1, rest.ErrForm.Error()},
		"long":     {`[` + long + `]`, "", 0, "a row of the answer has more than 65536 bytes"},
		"many":     {`[` + strings.Repeat("[],", 60_000) + `[]]`, "", rest.MaxRows, ""},
	} {
		n := 0
		err := rest.JSONRows([]byte(c.body), c.path, "rows", func(rest.Row) { n++ })
		if n != c.rows || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %d rows, %v", name, n, err)
		}
	}
	n := 0
	if err := rest.CSVRows([]byte("a\n"+strings.Repeat("1\n", 60_000)), func(rest.Field) { n++ }); err != nil || n != rest.MaxRows {
		t.Errorf("%d rows of CSV, %v", n, err)
	}
	if err := rest.CSVRows([]byte(strings.Repeat(",", 1<<20)+"\n"), func(rest.Field) {}); !errors.Is(err, rest.ErrForm) {
		t.Errorf("a long row of CSV: %v", err)
	}
	lines := "a,b\n" + strings.Repeat("1,\"x\ny\"\n", 30_000)
	if n = 0; rest.CSVRows([]byte(lines), func(rest.Field) { n++ }) != nil || n != 30_000 {
		t.Errorf("%d rows of CSV, each with a text of two lines", n)
	}
	var byKey strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&byKey, `"%d":{},`, i)
	}
	var keyed rest.List[struct{ A rest.Text }]
	if err := json.Unmarshal([]byte(`{`+byKey.String()+`"x":{}}`), &keyed); err != nil || len(keyed) != rest.MaxRows {
		t.Errorf("an object whose members are the items: %d items, %v", len(keyed), err)
	}
	if text := rest.Complaint([]byte(`{"error": {"message": "no", "details": ["worse", "cu`)); text != "no; worse" {
		t.Errorf("the words of a cut answer: %q", text)
	}
	var list rest.List[struct{ A rest.Text }]
	if err := json.Unmarshal([]byte(`[`+strings.Repeat("{},", 60_000)+`{}]`), &list); err != nil || len(list) != rest.MaxRows {
		t.Errorf("%d items, %v", len(list), err)
	}
}

// TestCallerGivesUp: if the caller gives up between two attempts, the error is the provider's and not the error of the wait.
func TestCallerGivesUp(t *testing.T) {
	t.Parallel()
	api, asked, _ := provider(t, respond(502, `{"message": "down"}`))
	api.RetryTime, api.Wait = time.Minute, func(context.Context, time.Duration) error { return context.DeadlineExceeded }
	err := api.PublicError(api.Get(t.Context(), "/x", nil, nil))
	if err == nil || err.Error() != "the provider answered 502: down" || *asked != 1 {
		t.Errorf("%v after %d requests", err, *asked)
	}
}
