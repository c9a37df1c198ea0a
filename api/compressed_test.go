package api_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"switchyard/api/apitest"
	"switchyard/api/route"
)

// TestCompressed: answers in JSON and CSV are compressed for clients that accept gzip, unless they are short. A client notices a
// file that breaks off.
func TestCompressed(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("click,country,payout\n", 500)
	file := func(path string, failure error) route.Route { // with a failure, the file ends after its first half
		return route.Route{Method: "GET", Path: path, Handle: route.Handle(func(*route.Call) (route.File, error) {
			return route.File{
				Name: "clicks.csv", Type: "text/csv; charset=utf-8", Size: int64(len(text)),
				Write: func(_ context.Context, w io.Writer) error {
					_, err := io.WriteString(w, text[:len(text)/2])
					if err == nil && failure == nil {
						_, err = io.WriteString(w, text[len(text)/2:])
					}
					return errors.Join(err, failure)
				},
			}, nil
		})}
	}
	s := apitest.New(t, apitest.Options{Extra: []route.Route{
		file("/whole", nil), file("/broken", io.ErrClosedPipe),
		{Method: "GET", Path: "/large", Handle: route.Handle(func(*route.Call) (string, error) { return text, nil })},
		{Method: "GET", Path: "/small", Handle: route.Handle(func(*route.Call) (string, error) { return "yes", nil })},
	}})
	for _, c := range []struct {
		path, accepts string // accepts is the Accept-Encoding
		compressed    bool
		broken        bool
	}{
		{"/whole", "gzip", true, false},
		{"/whole", "identity", false, false},
		{"/broken", "gzip", true, true},
		{"/broken", "identity", false, true},
		{"/large", "br, gzip", true, false},
		{"/large", "gzip;q=0", false, false},
		{"/small", "gzip", false, false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.Key)
		req.Header.Set("Accept-Encoding", c.accepts)
		answer, err := http.DefaultClient.Do(req)
		if c.broken && err != nil {
			continue // the answer broke off before its headers were sent
		}
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		var body io.Reader = answer.Body
		compressed := answer.Header.Get("Content-Encoding") == "gzip"
		if compressed {
			if body, err = gzip.NewReader(answer.Body); err != nil {
				t.Fatal(err)
			}
		}
		got, err := io.ReadAll(body)
		if compressed != c.compressed || (err != nil) != c.broken || !strings.Contains(answer.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s to a client that accepts %q: compressed: %t, %d bytes, error %v, headers %v",
				c.path, c.accepts, compressed, len(got), err, answer.Header)
		}
		if !c.broken && c.path != "/small" && !strings.Contains(string(got), strings.TrimSpace(text[:20])) {
			t.Errorf("%s: the answer is not the text: %.100s", c.path, got)
		}
	}
}
