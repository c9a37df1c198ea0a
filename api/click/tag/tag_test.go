package tag

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"switchyard/models"
	"switchyard/models/token"
)

// The compressed script must have fewer bytes than maxSize.
const maxSize = 2048

// files are the source of the script and the file made from it.
var files = []string{"tag.js", "tag.min.js"}

func sums(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		out.WriteString(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	}
	return out.String()
}

// TestScript: the served script was made from the present source, and is small.
func TestScript(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("tag.sum")
	if err != nil || sums(t) != string(want) {
		t.Errorf("tag.js or tag.min.js has changed: run make generate (%v)", err)
	}
	size := len(static().Gzip)
	t.Logf("the page tag has %d bytes, %d compressed", len(static().Body), size)
	if size >= maxSize {
		t.Errorf("the page tag has %d bytes compressed, want fewer than %d", size, maxSize)
	}
}

// TestParameters: the tag finds a click id under each name of the click id token.
func TestParameters(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("tag.js")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`click = find\('(.+)'\)`).FindSubmatch(source)
	if found == nil {
		t.Fatal("tag.js has no expression that finds the click in the address")
	}
	pattern, id := regexp.MustCompile("^"+string(found[1])+"$"), models.FormatClickID(models.NewClickID())
	for _, e := range token.Catalog() {
		if e.Name != token.ClickID.String() {
			continue
		}
		for _, name := range append(slices.Clone(e.Aliases), e.Name) {
			if got := pattern.FindStringSubmatch(name + "=" + id); len(got) != 2 || got[1] != id {
				t.Errorf("the parameter %s is read as %q, want the click id", name, got)
			}
		}
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	request := func(method string, headers ...string) *http.Response {
		r := httptest.NewRequestWithContext(t.Context(), method, "/t.js", nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		Serve(w, r)
		return w.Result()
	}
	plain, packed := request(http.MethodGet), request(http.MethodGet, "Accept-Encoding", "br, gzip")
	tag := plain.Header.Get("ETag")
	for name, want := range map[string]string{
		"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "public, max-age=3600", "Vary": "Accept-Encoding",
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*",
		"ETag": tag,
	} {
		if got := packed.Header.Get(name); got != want || plain.Header.Get(name) != want {
			t.Errorf("%s: %q and %q, want %q", name, plain.Header.Get(name), got, want)
		}
	}
	if packed.Header.Get("Content-Encoding") != "gzip" || packed.ContentLength >= plain.ContentLength || tag == "" {
		t.Errorf("the tag is answered with the headers %v compressed and %v plain, want gzip, smaller and an ETag", packed.Header, plain.Header)
	}
	if got := request(http.MethodGet, "If-None-Match", tag); got.StatusCode != http.StatusNotModified {
		t.Errorf("a request with the tag's ETag gets the status %d, want 304", got.StatusCode)
	}
	if got := request(http.MethodHead); got.StatusCode != http.StatusOK || got.ContentLength != plain.ContentLength {
		t.Errorf("HEAD gets the status %d and %d bytes, want 200 and the size of GET", got.StatusCode, got.ContentLength)
	}
}
